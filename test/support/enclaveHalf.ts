// The enclave's side of transport V2, implemented independently of src/session with node:crypto alone, so that the tests
// find deviations from the specification.
import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
} from 'node:crypto';

const SPKI = Buffer.from('302a300506032b656e032100', 'hex');

/** What the client sends in the handshake, 32 bytes each. */
export interface Offer {
  readonly challenge: Buffer;
  readonly clientPublicKey: Buffer;
}

/** A decrypted request. */
export interface OpenedRequest {
  readonly requestId: Buffer;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly body: Buffer;
  readonly plaintext: Buffer;
}

/** Parses the body of a handshake request (section 1). Throws if it is invalid. */
export function readOffer(body: Uint8Array): Offer {
  const fields = JSON.parse(Buffer.from(body).toString()) as Record<string, unknown>;
  const names = Object.keys(fields).toSorted().join();
  if (names !== 'challenge,client_public_key,version' || fields['version'] !== 2) throw new Error('Invalid handshake');
  const [challenge, clientPublicKey] = [fields['challenge'], fields['client_public_key']].map((text) =>
    Buffer.from(String(text), 'base64'),
  );
  if (challenge?.length !== 32 || clientPublicKey?.length !== 32) throw new Error('Invalid handshake');
  return { challenge, clientPublicKey };
}

/** The enclave's keys of one session. */
export class EnclaveHalf {
  readonly sessionId: string;
  readonly publicKey: Buffer;
  readonly #requestKey: Buffer;
  readonly #responseKey: Buffer;

  constructor({ challenge, clientPublicKey }: Offer, publicKey: Uint8Array, shared: Uint8Array) {
    const transcript = createHash('sha256')
      .update('opensecret/transport-v2/session/v1\0')
      .update(Buffer.concat([challenge, clientPublicKey, publicKey]))
      .digest();
    const prk = createHmac('sha256', challenge).update(shared).digest();
    const derive = (name: string) => expand(prk, `opensecret/transport-v2/${name}/v1\0`, transcript);
    this.publicKey = Buffer.from(publicKey);
    this.#requestKey = derive('request-key');
    this.#responseKey = derive('response-key');
    this.sessionId = derive('session-id').subarray(0, 16).toString('hex');
  }

  /** Generates a key pair and derives the keys of a session. */
  static accept(offer: Offer): EnclaveHalf {
    const { publicKey, privateKey } = generateKeyPairSync('x25519');
    const clientKey = createPublicKey({
      key: Buffer.concat([SPKI, offer.clientPublicKey]),
      format: 'der',
      type: 'spki',
    });
    const shared = diffieHellman({ privateKey, publicKey: clientKey });
    const raw = publicKey.export({ type: 'spki', format: 'der' }).subarray(SPKI.length);
    return new EnclaveHalf(offer, raw, shared);
  }

  /** Opens a request (section 2). Throws if it is not authentic. */
  open(record: Uint8Array): OpenedRequest {
    const bytes = Buffer.from(record);
    const requestId = bytes.subarray(0, 16);
    const key = this.#subkey(this.#requestKey, 'request', requestId);
    const decipher = createDecipheriv('chacha20-poly1305', key, Buffer.alloc(12), { authTagLength: 16 });
    decipher.setAAD(this.#context('request-record', requestId), { plaintextLength: bytes.length - 32 });
    decipher.setAuthTag(bytes.subarray(-16));
    const plaintext = Buffer.concat([decipher.update(bytes.subarray(16, -16)), decipher.final()]);
    const length = plaintext.readUInt32BE();
    const metadata = JSON.parse(plaintext.toString('utf8', 4, 4 + length)) as Record<string, unknown>;
    return { requestId, metadata, body: plaintext.subarray(4 + length), plaintext };
  }

  /** Returns a sealer for the response to a request (section 3), under its own key or any other. */
  respond(requestId: Uint8Array, key = this.#subkey(this.#responseKey, 'response', requestId)): ResponseHalf {
    return new ResponseHalf(key, this.#context('response-record', requestId));
  }

  #subkey(key: Buffer, direction: 'request' | 'response', requestId: Uint8Array): Buffer {
    return expand(key, this.#context(`${direction}-subkey`, requestId));
  }

  #context(name: string, requestId: Uint8Array): Buffer {
    const label = Buffer.from(`opensecret/transport-v2/${name}/v1\0`);
    return Buffer.concat([label, Buffer.from(this.sessionId, 'hex'), requestId]);
  }
}

/** Seals the frames of one response, in order or at any position. */
export class ResponseHalf {
  readonly #key: Buffer;
  readonly #context: Buffer;
  #sequence = 0;

  constructor(key: Buffer, context: Buffer) {
    this.#key = key;
    this.#context = context;
  }

  start(status = 200, headers: readonly { name: string; value: string }[] = []): Buffer {
    return this.frame(1, JSON.stringify({ status, headers }));
  }

  chunk(bytes: Uint8Array | string): Buffer {
    return this.frame(2, bytes);
  }

  end(): Buffer {
    return this.frame(3, '');
  }

  error(code: string): Buffer {
    return this.frame(4, JSON.stringify({ code }));
  }

  /** Returns the next frame, for a record of any type and content. */
  frame(type: number, content: Uint8Array | string): Buffer {
    return this.frameOf(Buffer.concat([Buffer.of(type), Buffer.from(content)]));
  }

  /** Returns the frame of any plaintext, by default at the next position. */
  frameOf(plaintext: Uint8Array, sequence = this.#sequence++): Buffer {
    const sealed = this.seal(plaintext, sequence);
    const length = Buffer.alloc(4);
    length.writeUInt32BE(sealed.length);
    return Buffer.concat([length, sealed]);
  }

  /** Returns the ciphertext and tag at one position. */
  seal(plaintext: Uint8Array, sequence: number): Buffer {
    const counted = Buffer.alloc(8);
    counted.writeBigUInt64BE(BigInt(sequence));
    const nonce = Buffer.concat([Buffer.alloc(4), counted]);
    const cipher = createCipheriv('chacha20-poly1305', this.#key, nonce, { authTagLength: 16 });
    cipher.setAAD(Buffer.concat([this.#context, counted]), { plaintextLength: plaintext.length });
    return Buffer.concat([cipher.update(plaintext), cipher.final(), cipher.getAuthTag()]);
  }
}

/** HKDF-Expand (RFC 5869) for one block. */
function expand(key: Buffer, ...info: readonly (string | Uint8Array)[]): Buffer {
  const mac = createHmac('sha256', key);
  for (const part of info) mac.update(part);
  return mac.update(Buffer.of(1)).digest();
}

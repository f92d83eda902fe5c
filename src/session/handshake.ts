// The handshake (transport V2, section 1). No key is derived from the enclave's public key before its document is
// verified, its image approved and its bindings checked. No session exists before the session id is compared.
import { randomFillSync } from 'node:crypto';
import { approveEnclave, checkUnsigned, verifyDocument } from '../attestation/checks.ts';
import { parseUnsignedDocument } from '../attestation/document.ts';
import { AttestationError } from '../attestation/errors.ts';
import type { Presented } from '../attestation/evidence.ts';
import type { PcrHistory } from '../attestation/history.ts';
import { approveImage, localApproval } from '../attestation/policy.ts';
import type { Pcr0Policy } from '../attestation/policy.ts';
import type { TrustAnchors } from '../attestation/trust.ts';
import { concatBytes, constantTimeEqual, toBase64, toHex, wipe } from '../shared/bytes.ts';
import { SessionError, asSessionError } from './errors.ts';
import { agree, deriveSessionKeys, generateKeyPair } from './keys.ts';
import type { KeyPair } from './keys.ts';
import { Session } from './session.ts';
import type { AttestationResult, Primitives } from './session.ts';
import type { Clock, Transport } from './transport.ts';
import {
  CHALLENGE_LENGTH,
  JSON_MEDIA_TYPE,
  MAX_HANDSHAKE_REPLY,
  PROTOCOL_VERSION,
  ROUTING_KEY_HEADER,
  SESSION_PATH,
  parseSessionReply,
} from './wire.ts';

/** Which enclaves to trust. */
export type Trust =
  | {
      readonly kind: 'nitro';
      readonly anchors: TrustAnchors;
      readonly policy: Pcr0Policy;
      /** Loads the signed history of the policy's environment; called only for an image that the policy lacks. */
      readonly history: (pcr0: string) => Promise<PcrHistory>;
    }
  /** A development backend on a loopback address. Its document is not verified. */
  | { readonly kind: 'development' };

export interface HandshakeContext {
  readonly transport: Transport;
  readonly primitives: Primitives;
  readonly trust: Trust;
  readonly clock: Clock;
  /** How long the backend may take to answer, in milliseconds. */
  readonly timeout: () => number;
  /** Called with what the attestation refused. */
  readonly onRefused?: (presented: Presented) => void;
}

/** What the client sends: 32 random bytes and the public half of a fresh key pair. */
interface Offer {
  readonly challenge: Uint8Array;
  readonly keyPair: KeyPair;
}

/**
 * Makes a session with the enclave: verifies its document, approves its image and checks the bindings (`attest`), then
 * derives the keys and compares the session id.
 * @throws SessionError `network`, `timeout`, `handshake_status`, `handshake_unavailable`, `handshake_malformed`,
 *   `attestation_refused` (with the AttestationError as its cause), `weak_public_key`, `session_id_mismatch`
 */
export async function performHandshake(context: HandshakeContext): Promise<Session> {
  const offer = makeOffer();
  const reply = parseSessionReply(await exchangeOffer(context, offer));
  const { attestation, serverPublicKey } = await attest(context, offer, reply.attestationDocument);

  const shared = agree(offer.keyPair.privateKey, serverPublicKey);
  const transcript = { challenge: offer.challenge, clientPublicKey: offer.keyPair.publicKey, serverPublicKey };
  const keys = deriveSessionKeys(context.primitives.hkdf, transcript, shared);
  wipe(shared);
  if (!constantTimeEqual(Buffer.from(toHex(keys.sessionId)), Buffer.from(reply.sessionId))) {
    wipe(keys.requestKey, keys.responseKey);
    throw new SessionError('session_id_mismatch', 'The session id does not match the derived keys');
  }
  return new Session(context.primitives, keys, offer.challenge, attestation);
}

function makeOffer(): Offer {
  return { challenge: randomFillSync(new Uint8Array(CHALLENGE_LENGTH)), keyPair: generateKeyPair() };
}

/** Steps (1) to (3) of section 1: verifies the document, applies the PCR0 policy, checks the bindings. */
async function attest(
  { trust, clock, onRefused }: HandshakeContext,
  { challenge, keyPair }: Offer,
  bytes: Uint8Array,
): Promise<{ attestation: AttestationResult; serverPublicKey: Uint8Array }> {
  const sent = { challenge, clientPublicKey: keyPair.publicKey };
  let presented: Presented = { ...sent, bytes, at: clock.wall(), history: undefined };
  try {
    if (trust.kind === 'development') {
      const document = parseUnsignedDocument(bytes);
      const serverPublicKey = checkUnsigned(document, sent);
      return { attestation: { kind: 'development', moduleId: document.moduleId }, serverPublicKey };
    }
    const { anchors, policy } = trust;
    const document = verifyDocument({ ...presented, anchors });
    const { pcr0 } = document;
    if (localApproval(pcr0, policy) === undefined) presented = { ...presented, history: await trust.history(pcr0) };
    const { history } = presented;
    const enclave = approveEnclave(document, { ...sent, approve: () => approveImage(pcr0, policy, history) });
    const { serverPublicKey } = enclave;
    return { attestation: { kind: 'verified', enclave, environment: policy.environment, presented }, serverPublicKey };
  } catch (cause) {
    if (trust.kind === 'nitro') onRefused?.(presented);
    if (!(cause instanceof AttestationError)) throw cause;
    throw new SessionError('attestation_refused', `The attestation failed: ${cause.message}`, { cause });
  }
}

/** Sends the offer and returns the body of the reply: status 200, JSON, at most 64 KiB. */
function exchangeOffer({ transport, clock, timeout }: HandshakeContext, offer: Offer): Promise<Uint8Array> {
  const challenge = toBase64(offer.challenge);
  const body = JSON.stringify({
    version: PROTOCOL_VERSION,
    challenge,
    client_public_key: toBase64(offer.keyPair.publicKey),
  });
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = [];
    let length = 0;
    const settle = (error?: unknown) => {
      stopTimer();
      if (error === undefined) {
        resolve(concatBytes(...chunks));
      } else {
        call.cancel();
        reject(asSessionError(error));
      }
    };
    const stopTimer = clock.after(timeout(), () => {
      settle(new SessionError('timeout', 'The backend did not answer the handshake in time'));
    });
    const call = transport.send(
      {
        method: 'POST',
        path: SESSION_PATH,
        headers: ['content-type', JSON_MEDIA_TYPE, ROUTING_KEY_HEADER, challenge],
        body: Buffer.from(body),
      },
      {
        onHead(head) {
          const types = head.values('content-type');
          if (head.status !== 200) {
            const code = head.status === 429 || head.status >= 500 ? 'handshake_unavailable' : 'handshake_status';
            settle(new SessionError(code, `The backend answered the handshake with ${head.status}`));
          } else if (types.length !== 1 || types[0] !== JSON_MEDIA_TYPE) {
            settle(new SessionError('handshake_malformed', 'The handshake reply is not exactly application/json'));
          }
        },
        onData(chunk) {
          length += chunk.length;
          if (length > MAX_HANDSHAKE_REPLY) {
            settle(new SessionError('handshake_malformed', 'The handshake reply is longer than 64 KiB'));
          } else {
            chunks.push(chunk);
          }
        },
        onEnd: () => {
          settle();
        },
        onError: settle,
      },
    );
  });
}

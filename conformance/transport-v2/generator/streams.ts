// The responses of the cases as bytes, under the keys of the specification's vectors.
import { EnclaveHalf } from '../../../test/support/enclaveHalf.ts';
import { sealParts } from '../seal.ts';
import { type Case, type Stream, type StreamsFile, areaOf } from '../suite.ts';

const fixed = (byte: number, length: number) => Buffer.alloc(length, byte);
const SESSION = {
  challenge: fixed(0x11, 32),
  client_public_key: fixed(0x22, 32),
  server_public_key: fixed(0x33, 32),
  x25519_shared: fixed(0x44, 32),
  request_id: fixed(0x66, 16),
};
/** Bytes: what is longer differs only in its length. */
const LONGEST = 140_000;

export function streamsOf(cases: readonly Case[]): StreamsFile {
  const { challenge, client_public_key: clientPublicKey, server_public_key: publicKey, x25519_shared: shared } = SESSION;
  const enclave = new EnclaveHalf({ challenge, clientPublicKey }, publicKey, shared);
  const streams = cases.filter(isStream).flatMap(({ id, title, answers, expected }): Stream[] => {
    const body = Buffer.concat(sealParts(answers?.[0]?.body ?? [], enclave, SESSION.request_id));
    const [client] = expected.client;
    if (client === undefined || body.length > LONGEST) return [];
    const outcome = client.outcome === 'failed' ? ({ outcome: 'failed' } as const) : client;
    return [{ id, title, body: body.toString('base64'), expected: outcome }];
  });
  const session = Object.fromEntries(Object.entries(SESSION).map(([name, bytes]) => [name, bytes.toString('hex')]));
  return { session: session as StreamsFile['session'], streams };
}

/** Whether the records alone decide: the response is complete for HTTP. */
function isStream(one: Case): boolean {
  return ['start', 'records', 'framing'].includes(areaOf(one));
}

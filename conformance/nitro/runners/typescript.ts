// The contract of the suite, served by src/attestation: node conformance/nitro/runners/typescript.ts SUBCOMMAND
import { text } from 'node:stream/consumers';
import { reportChecks } from '../../../src/attestation/checks.ts';
import { userDataFor } from '../../../src/attestation/document.ts';
import { approveImage } from '../../../src/attestation/policy.ts';
import { fromBase64 } from '../../../src/shared/bytes.ts';
import { CHECK_IDS } from '../../../src/shared/checks.ts';
import type { Input, Output } from '../suite.ts';

const KEY_BYTES = 32;
const EXIT_CODES = { accepted: 0, rejected: 10, not_supported: 20, error: 30 } as const;

class NotSupported extends Error {}

function verify(json: string): Output {
  try {
    const { document, anchors, at, challenge, policy } = JSON.parse(json) as Input;
    // The image lists of Sealed Proxy are consulted too: no case has one of their images.
    const additional = policy.pcr0;
    const { failure } = reportChecks({
      bytes: decode(document),
      anchors: { roots: anchors.map(decode) },
      at: timeOf(at),
      challenge: challenge === undefined ? undefined : decode(challenge),
      approve: additional && ((pcr0) => approveImage(pcr0, { environment: 'production', additional }, undefined)),
      clientPublicKey: policy.userData === undefined ? undefined : keyIn(decode(policy.userData)),
    });
    if (policy.publicKeyBytes !== KEY_BYTES) throw new NotSupported('public_key is always a key of 32 bytes');
    return failure === undefined
      ? { verdict: 'accepted' }
      : { verdict: 'rejected', code: failure.code, message: failure.message };
  } catch (error) {
    return { verdict: error instanceof NotSupported ? 'not_supported' : 'error', message: String(error) };
  }
}

/** The key of the client in the only form of user data that the verifier expects. */
function keyIn(userData: Uint8Array): Uint8Array {
  const key = userData.subarray(-KEY_BYTES);
  if (!Buffer.from(userDataFor(key)).equals(userData)) throw new NotSupported('user_data of another form');
  return key;
}

function decode(base64: string): Uint8Array {
  const bytes = fromBase64(base64);
  if (bytes === undefined) throw new TypeError('not Base64');
  return bytes;
}

function timeOf(at: string): number {
  const time = Date.parse(at);
  if (Number.isNaN(time)) throw new TypeError('not a time');
  return time;
}

const [subcommand] = process.argv.slice(2);
if (subcommand === 'capabilities') {
  console.log(JSON.stringify({ name: 'sealed-proxy (TypeScript)', checks: CHECK_IDS, batch: true }));
} else if (subcommand === 'verify') {
  const output = verify(await text(process.stdin));
  console.log(JSON.stringify(output));
  process.exitCode = EXIT_CODES[output.verdict];
} else if (subcommand === 'verify-batch') {
  const lines = (await text(process.stdin)).split('\n').filter((line) => line !== '');
  console.log(lines.map((line) => JSON.stringify(verify(line))).join('\n'));
} else {
  console.error('typescript.ts capabilities | verify | verify-batch');
  process.exitCode = 1;
}

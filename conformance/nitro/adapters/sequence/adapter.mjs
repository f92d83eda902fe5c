// The contract of the suite, served by @0xsequence/tee-verifier of npm: node adapter.mjs SUBCOMMAND
//
// It calls what the package's createAttestationVerifyingFetch calls, in the same order and with the same comparisons, which
// that function makes for AWS's root alone. The nonce is compared as text, as there. public_key and debug mode are not
// looked at, and user_data only in a form of its own, so those checks are not announced.
import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { TextDecoder } from 'node:util';

// The package expects a browser, and looks for it when it is loaded.
globalThis.window = globalThis;
globalThis.self = globalThis;
const { SignedAttestation } = await import('@0xsequence/tee-verifier');

const CHECKS = [
  'document_format',
  'trusted_root',
  'certificate_chain',
  'document_signature',
  'challenge',
  'certificate_validity',
  'image_approved',
];
const EXIT_CODES = { accepted: 0, rejected: 10 };

async function verify(json) {
  const { document, anchors, at, challenge, policy } = JSON.parse(json);
  const rejected = (code, message) => ({ verdict: 'rejected', code, message });
  try {
    const attestation = SignedAttestation.fromDocument(document);
    const expected = challenge && new TextDecoder().decode(Buffer.from(challenge, 'base64'));
    if (challenge !== undefined && attestation.nonce !== expected) return rejected('nonce_mismatch');
    if (policy.pcr0 && !policy.pcr0.includes(attestation.pcrs.get(0))) return rejected('pcr0_not_approved');
    if (!(await attestation.verifyRootOfTrust(new Date(at)))) return rejected('certificate_chain');
    const prints = anchors.map((anchor) => createHash('sha256').update(Buffer.from(anchor, 'base64')).digest('hex'));
    if (!prints.includes(await attestation.rootCertFingerprint())) return rejected('untrusted_root');
    if (!(await attestation.verifySignature())) return rejected('signature');
    return { verdict: 'accepted' };
  } catch (error) {
    return rejected('malformed_document', String(error));
  }
}

const [subcommand] = process.argv.slice(2);
if (subcommand === 'capabilities') {
  console.log(JSON.stringify({ name: '@0xsequence/tee-verifier 0.1.2', checks: CHECKS, batch: true }));
} else if (subcommand === 'verify') {
  const output = await verify(await text(process.stdin));
  console.log(JSON.stringify(output));
  process.exitCode = EXIT_CODES[output.verdict];
} else if (subcommand === 'verify-batch') {
  for (const line of (await text(process.stdin)).trimEnd().split('\n')) console.log(JSON.stringify(await verify(line)));
} else {
  console.error('adapter.mjs capabilities | verify | verify-batch');
  process.exitCode = 1;
}

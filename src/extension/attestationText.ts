// The attestation as a document to read: what was checked, with each step's result, and what was not. Pure.
import type { ProxyStatus } from '../shared/status.ts';
import type { Verified } from '../shared/messages.ts';

type Genuine = Extract<Verified, { kind: 'verified' }>;

/** Markdown. */
export function attestationDocument(status: ProxyStatus): string {
  if (status.kind !== 'running' || status.verified === null) return nothingVerified(status);
  const { verified, backendUrl, establishedAt } = status;
  const head = ['# Attestation', '', `Backend: \`${backendUrl}\``];
  if (verified.kind === 'development') return [...head, '', ...development(verified)].join('\n');
  return [...head, '', ...genuine(verified, establishedAt)].join('\n');
}

function nothingVerified(status: ProxyStatus): string {
  const reason =
    status.kind !== 'running'
      ? 'The proxy is not running, so there is no session and nothing was verified.'
      : status.health.kind === 'unreachable'
        ? `Nothing is verified at the moment: ${status.health.message}.`
        : 'Nothing is verified at the moment: no session stands. *Sealed Proxy: Check Connection* makes one.';
  return `# Attestation\n\n${reason}\n\nNo request leaves this computer without a verified session.\n`;
}

function development({ moduleId }: Extract<Verified, { kind: 'development' }>): string[] {
  return [
    '**This is a development backend on this computer. It was not verified.**',
    '',
    'Its document is not signed, so it proves nothing. The traffic to it is encrypted as to a real enclave, and its three',
    'bindings (challenge, both public keys) were checked.',
    '',
    ...(moduleId === null ? [] : [`It calls itself \`${moduleId}\`.`, '']),
    'To talk to a verified enclave, set `sealedProxy.backendUrl` to an https address.',
  ];
}

function genuine(verified: Genuine, establishedAt: number | null): string[] {
  const { environment, pcr0, approvedBy, moduleId, timestamp, certificateNotBefore, certificateNotAfter } = verified;
  const approval = {
    pinned: `it is in the list for ${environment} that comes with this extension`,
    additional: 'it is one that you added (`sealedProxy.additionalPcr0`)',
    history: `it is in the history for ${environment} that the image's makers have signed`,
  }[approvedBy];
  const session = establishedAt === null ? '' : ` The session stands since ${iso(establishedAt)}.`;
  return [
    `A genuine AWS Nitro enclave with an approved image.${session}`,
    '',
    '## What was checked, in this order',
    '',
    '| | step | result |',
    '| --- | --- | --- |',
    '| ✓ | The document is a COSE_Sign1 of an AWS Nitro Security Module | well-formed |',
    '| ✓ | Its certificate chain starts with the AWS Nitro root pinned in the extension | SHA-256 `641a0321…f79bb5b` |',
    '| ✓ | Each certificate is signed by the one before; roles and path lengths are kept | ECDSA P-384, SHA-384 |',
    '| ✓ | The document is signed by the last certificate | ES384 |',
    '| ✓ | It answers the challenge drawn for this handshake | fresh, not a replay |',
    `| ✓ | Every certificate is valid now | leaf ${iso(certificateNotBefore)} to ${iso(certificateNotAfter)} |`,
    '| ✓ | The enclave is not in debug mode | PCR0 is not zero |',
    `| ✓ | Its image is approved: ${approval} | PCR0 \`${pcr0}\` |`,
    "| ✓ | The document names this session's two public keys | bound |",
    '| ✓ | The session id is the one that the keys yield | equal |',
    '',
    `Module \`${moduleId}\`, at its own time ${iso(timestamp)}.`,
    '',
    '## What was not checked, and why',
    '',
    '- What the code in the image does. PCR0 says which image runs; its makers publish its sources and how to build it.',
    '- Revocation of certificates. AWS issues the leaf anew about every three hours.',
    '- Other measurements than PCR0: it covers the whole image.',
    '- This computer. What runs here can read what is typed here.',
    '',
    '## How to check it yourself',
    '',
    'The document below is Base64 of CBOR. Verify its certificate chain against the root that AWS publishes',
    '(`AWS_NitroEnclaves_Root-G1`), its signature as RFC 9052 says, and compare PCR0 with the one that you get by building',
    'the image from its sources.',
    '',
    '## The document',
    '',
    '```',
    ...(verified.document.match(/.{1,100}/g) ?? []),
    '```',
    '',
  ];
}

function iso(at: number): string {
  return new Date(at).toISOString().replace('.000', '');
}

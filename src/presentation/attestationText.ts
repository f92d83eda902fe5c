// The attestation as a document to read: what was checked, with each step's result, and what was not. Pure.
import type { ProxyStatus } from '../shared/status.ts';
import type { AttestationSummary } from '../shared/messages.ts';
import { PCR0, shortened } from './statusText.ts';

type Genuine = Extract<AttestationSummary, { kind: 'verified' }>;

interface Step {
  readonly what: string;
  /** The value that was found, of a step that has passed. */
  readonly found: (verified: Genuine) => string;
  /** The codes of those failures that are failures of this step. */
  readonly failures: readonly string[];
}

/** In the order in which they are taken. */
const STEPS: readonly Step[] = [
  {
    what: 'The document is a COSE_Sign1 of an AWS Nitro Security Module',
    found: () => 'well-formed',
    failures: ['malformed_document'],
  },
  {
    what: 'Its certificate chain starts with the AWS Nitro root pinned in the extension',
    found: () => 'SHA-256 `641a0321…8f79bb5b`',
    failures: ['untrusted_root'],
  },
  {
    what: 'Each certificate is signed by the one before; roles and path lengths are kept',
    found: () => 'ECDSA P-384, SHA-384',
    failures: ['malformed_certificate', 'certificate_algorithm', 'certificate_chain'],
  },
  { what: 'The document is signed by the last certificate', found: () => 'ES384', failures: ['signature'] },
  {
    what: 'It answers the challenge drawn for this handshake',
    found: () => 'fresh, not a replay',
    failures: ['nonce_mismatch'],
  },
  {
    what: 'Every certificate was valid at that time',
    found: (verified) => `leaf ${iso(verified.certificateNotBefore)} to ${iso(verified.certificateNotAfter)}`,
    failures: ['certificate_not_yet_valid', 'certificate_expired', 'clock'],
  },
  { what: 'The enclave is not in debug mode', found: () => 'PCR0 is not zero', failures: ['debug_mode'] },
  {
    what: 'Its image is approved',
    found: (verified) => `${approval(verified)}; its PCR0 is below`,
    failures: ['pcr0_not_approved', 'history_invalid', 'history_unavailable'],
  },
  {
    what: "The document names this session's two public keys",
    found: () => 'bound',
    failures: ['public_key_mismatch', 'user_data_mismatch', 'weak_public_key'],
  },
  { what: 'The session id is the one that the keys yield', found: () => 'equal', failures: ['session_id_mismatch'] },
];

/** How it went with one step, in words. */
export interface StepOutcome {
  readonly what: string;
  readonly outcome: 'passed' | 'refused' | 'notReached' | 'notChecked';
  /** What was found, of a step that has passed in a session that stands; else empty. Markdown. */
  readonly found: string;
}

/** Every step, in its order. Of a development backend, only the one that refused it was checked. */
export function stepOutcomes(status: ProxyStatus): readonly StepOutcome[] {
  const verified = status.kind === 'running' && status.verified?.kind === 'verified' ? status.verified : undefined;
  const failed = status.kind === 'running' && verified === undefined ? failedStep(status) : -1;
  const isGenuine = status.kind === 'running' && status.backendUrl.startsWith('https:');
  return STEPS.map(({ what, found }, index) => {
    if (verified !== undefined) return { what, outcome: 'passed', found: found(verified) };
    if (index === failed) return { what, outcome: 'refused', found: '' };
    if (failed === -1 || !isGenuine) return { what, outcome: 'notChecked', found: '' };
    return { what, outcome: index < failed ? 'passed' : 'notReached', found: '' };
  });
}

/** The index of the step that refused, or -1. */
function failedStep({ health }: Extract<ProxyStatus, { kind: 'running' }>): number {
  if (health.kind !== 'unreachable' || health.failure === null) return -1;
  const { code, detail } = health.failure;
  return STEPS.findIndex(({ failures }) => failures.includes(detail ?? code) || failures.includes(code));
}

/** Markdown. */
export function attestationDocument(status: ProxyStatus): string {
  if (status.kind !== 'running') {
    return page('The proxy is not running, so there is no session and nothing was verified.', '', NOTHING_LEAVES);
  }
  const { verified, backendUrl, establishedAt, health } = status;
  const head = `Backend: \`${backendUrl}\``;
  if (verified?.kind === 'development') return page(head, '', ...development(verified));
  if (verified !== null) return page(head, '', ...genuine(verified, establishedAt));
  if (health.kind !== 'unreachable') {
    const none = 'Nothing is verified at the moment: no session stands. *Sealed Proxy: Check Connection* makes one.';
    return page(head, '', none, '', NOTHING_LEAVES);
  }
  return page(
    head,
    '',
    `Nothing is verified at the moment. ${shortened(health.message)}.`,
    ...measured(health.message),
    '',
    NOTHING_LEAVES,
    ...refused(status),
  );
}

/** The image that was refused, for whoever wants to compare or approve it. */
function measured(message: string): string[] {
  const [pcr0] = PCR0.exec(message) ?? [];
  return pcr0 === undefined ? [] : ['', 'PCR0, the measurement of its image:', '', ...block(pcr0)];
}

const NOTHING_LEAVES = 'No request leaves this computer without a verified session.';

function page(...lines: readonly string[]): string {
  return `${['# Attestation', '', ...lines].join('\n')}\n`;
}

/** Which steps had passed when one was not; none for a failure that is no step's, or of a development backend. */
function refused(status: Extract<ProxyStatus, { kind: 'running' }>): string[] {
  const failed = failedStep(status);
  if (failed === -1 || !status.backendUrl.startsWith('https:')) return [];
  return table(({ what }, index) => {
    if (index < failed) return ['✓', what, 'passed'];
    return index === failed ? ['✗', what, '**refused**'] : ['–', what, 'not reached'];
  });
}

function table(row: (step: Step, index: number) => readonly [mark: string, step: string, result: string]): string[] {
  const rows = STEPS.map((step, index) => `| ${row(step, index).join(' | ')} |`);
  return ['', '## What was checked, in this order', '', '| | step | result |', '| --- | --- | --- |', ...rows];
}

function development({ moduleId }: Extract<AttestationSummary, { kind: 'development' }>): string[] {
  return [
    '**This is a development backend on this computer. It was not verified.**',
    '',
    'Its document is not signed, so it proves nothing. The traffic to it is encrypted as to a real enclave, and its three',
    'bindings (challenge, both public keys) were checked.',
    '',
    ...(moduleId === null ? [] : [`It calls itself \`${printable(moduleId)}\`.`, '']),
    'To talk to a verified enclave, set `sealedProxy.backendUrl` to an https address.',
  ];
}

/** What a backend calls itself, which may be anything. */
function printable(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9._-]/g, '?');
}

function block(text: string): string[] {
  return ['```', ...(text.match(/.{1,64}/g) ?? []), '```'];
}

function approval({ environment, approvedBy }: Genuine): string {
  return {
    pinned: `it is in the list for ${environment} that comes with this extension`,
    additional: 'it is one that you added (`sealedProxy.additionalPcr0`)',
    history: `it is in the history for ${environment} that the image's makers have signed`,
  }[approvedBy];
}

function genuine(verified: Genuine, establishedAt: number | null): string[] {
  const session = establishedAt === null ? '' : ` The session was made at ${iso(establishedAt)}.`;
  return [
    `A genuine AWS Nitro enclave with an approved image.${session}`,
    ...table((step) => ['✓', step.what, step.found(verified)]),
    '',
    'PCR0, the measurement of the image:',
    '',
    ...block(verified.pcr0),
    '',
    `Module \`${printable(verified.moduleId)}\`, at its own time ${iso(verified.timestamp)}.`,
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
    ...block(verified.document),
  ];
}

function iso(at: number): string {
  return new Date(at).toISOString().replace(/\.\d+/, '');
}

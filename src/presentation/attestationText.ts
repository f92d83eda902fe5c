// The attestation as a document: what it means, each check with its result, and what is not checked. Pure.
import { asCode, asMarkdown } from '../shared/escape.ts';
import type { AttestationSummary, NewImage } from '../shared/messages.ts';
import type { ProxyStatus, RunningStatus } from '../shared/status.ts';
import { DEFAULT_BACKEND } from './apiKeyText.ts';
import { COMMANDS } from './commands.ts';
import { glossaryLink } from './glossary.ts';
import { imageQuestion } from './imageText.ts';
import { describeStatus, summaryOf } from './statusText.ts';
import { PCR0 } from './text.ts';

/** The enclave of the default backend, in the repository that also contains its image history (pins.ts). */
const SOURCE_CODE = 'https://github.com/MaplePrivacyLabs/Maple/tree/master/services/opensecret';

type Verified = Extract<AttestationSummary, { kind: 'verified' }>;

interface Step {
  readonly what: string;
  /** The result of the check, once it has passed. Markdown. */
  readonly found: (verified: Verified) => string;
  /** The error codes that mean that this check failed. */
  readonly failures: readonly string[];
}

/** In the order in which they run. */
const STEPS: readonly Step[] = [
  {
    what: 'The attestation document has the format of AWS Nitro Enclaves',
    found: () => 'Valid COSE_Sign1',
    failures: ['malformed_document'],
  },
  {
    what: 'Its certificate chain starts with the AWS root certificate built into the extension',
    found: () => 'SHA-256 `641a0321…8f79bb5b`',
    failures: ['untrusted_root'],
  },
  {
    what: 'Each certificate is signed by the one before it and may sign the next one',
    found: () => 'ECDSA P-384 with SHA-384',
    failures: ['malformed_certificate', 'certificate_algorithm', 'certificate_chain'],
  },
  { what: 'The document is signed by the last certificate', found: () => 'ES384', failures: ['signature'] },
  {
    what: 'The document contains the random challenge of this handshake',
    found: () => 'Fresh, not a replay',
    failures: ['nonce_mismatch'],
  },
  {
    what: 'All certificates were valid at the time of the handshake',
    found: (verified) =>
      `Last certificate: ${iso(verified.certificateNotBefore)} to ${iso(verified.certificateNotAfter)}`,
    failures: ['certificate_not_yet_valid', 'certificate_expired', 'clock'],
  },
  { what: 'The enclave does not run in debug mode', found: () => 'PCR0 is not zero', failures: ['debug_mode'] },
  {
    what: 'The enclave image is trusted',
    found: approval,
    failures: ['pcr0_not_approved', 'history_invalid', 'history_unavailable'],
  },
  {
    what: 'The document contains the two public keys of this session',
    found: () => 'Passed',
    failures: ['public_key_mismatch', 'user_data_mismatch', 'weak_public_key'],
  },
  { what: 'The session ID is derived from these keys', found: () => 'Passed', failures: ['session_id_mismatch'] },
];

/** One check and its result. */
export interface StepOutcome {
  readonly what: string;
  readonly outcome: 'passed' | 'refused' | 'notReached' | 'notChecked';
  /** Details of a check that has passed in the current session; else empty. Markdown. */
  readonly found: string;
}

/** Every check, in order. For a development backend, only a check that failed has run. */
export function stepOutcomes(status: ProxyStatus): readonly StepOutcome[] {
  const verified = status.kind === 'running' && status.verified?.kind === 'verified' ? status.verified : undefined;
  const failed = status.kind === 'running' && verified === undefined ? failedStep(status) : -1;
  const isEnclave = status.kind === 'running' && status.backendUrl.startsWith('https:');
  return STEPS.map(({ what, found }, index) => {
    if (verified !== undefined) return { what, outcome: 'passed', found: found(verified) };
    if (index === failed) return { what, outcome: 'refused', found: '' };
    if (failed === -1 || !isEnclave) return { what, outcome: 'notChecked', found: '' };
    return { what, outcome: index < failed ? 'passed' : 'notReached', found: '' };
  });
}

/** The index of the check that failed, or -1. */
function failedStep({ health }: RunningStatus): number {
  if (health.kind !== 'unreachable' || health.failure === null) return -1;
  const { code, detail } = health.failure;
  return STEPS.findIndex(({ failures }) => failures.includes(detail ?? code) || failures.includes(code));
}

/** The document, as Markdown. */
export function attestationDocument(status: ProxyStatus): string {
  return `${['# Attestation', '', ...body(status)].join('\n')}\n`;
}

const MEANING = [
  `An ${glossaryLink('enclave')} is an isolated virtual machine that can prove which program it runs.`,
  `The proof is an ${glossaryLink('attestation document')} signed by AWS.`,
  'Sealed Proxy checks it before every session.',
].join(' ');

/** A verified enclave whose image waits for the user's consent. */
function newImageBody(status: RunningStatus, image: NewImage): string[] {
  const [question, detail] = imageQuestion(status.backendUrl, image);
  return [
    `**The enclave is verified, but it needs your consent.** ${asMarkdown(question)} ${asMarkdown(detail)}`,
    '',
    MEANING,
    '',
    `Backend: ${asCode(status.backendUrl)}`,
    '',
    `${glossaryLink('PCR0')}, the measurement (SHA-384) of the enclave image:`,
    '',
    ...block(image.pcr0),
    '',
    `To answer, run _Sealed Proxy: ${COMMANDS.reviewImage.title}_.`,
  ];
}

function body(status: ProxyStatus): string[] {
  const backend = status.kind === 'running' ? ['', `Backend: ${asCode(status.backendUrl)}`] : [];
  if (status.kind === 'running' && status.verified !== null) {
    const { verified } = status;
    return verified.kind === 'verified' ? verifiedBody(status, verified, backend) : development(verified, backend);
  }
  if (status.kind === 'running' && status.newImage) return newImageBody(status, status.newImage);
  const summary = summaryOf(describeStatus(status));
  return [
    `**The enclave is not verified.** ${asMarkdown(summary)} No prompt leaves this computer without a verified session.`,
    '',
    MEANING,
    ...backend,
    ...failedCheck(status),
    ...refusedImage(status),
    ...checksTable(status),
  ];
}

function verifiedBody(status: RunningStatus, verified: Verified, backend: readonly string[]): string[] {
  const { establishedAt } = status;
  return [
    '**The enclave is verified.** Prompts to the models of Sealed Proxy are encrypted on this computer, and only the',
    'program inside the enclave can decrypt them. Networks and servers in between cannot.',
    '',
    MEANING,
    ...backend,
    ...(establishedAt === null ? [] : ['', `Session since: ${iso(establishedAt)}`]),
    ...checksTable(status),
    '',
    `${glossaryLink('PCR0')}, the measurement (SHA-384) of the enclave image:`,
    '',
    ...block(verified.pcr0),
    '',
    `Enclave ID: ${asCode(verified.moduleId)}`,
    '',
    `The enclave's clock at the handshake: ${iso(verified.timestamp)}`,
    '',
    '## What is not checked',
    '',
    '- What the program in the image does. PCR0 identifies the image; the makers of the default backend',
    `  publish its [source code and build instructions](${SOURCE_CODE}).`,
    '- Whether a certificate was revoked. The last certificate is valid for about three hours only, which limits the risk.',
    '- PCR values other than PCR0, which covers the complete image.',
    '- This computer. Programs on it can read what you type.',
    '',
    '## How to check it yourself',
    '',
    'The document below is CBOR, encoded as Base64. Verify its',
    `${glossaryLink('certificate chain')} against the root certificate that AWS publishes`,
    '(`AWS_NitroEnclaves_Root-G1`) and its signature as in RFC 9052. Then build the image from its source code and compare',
    'PCR0.',
    '',
    '## Attestation document',
    '',
    ...block(verified.document),
  ];
}

function development(
  { moduleId }: Extract<AttestationSummary, { kind: 'development' }>,
  backend: readonly string[],
): string[] {
  return [
    `**You are using a ${glossaryLink('development backend')}. It is not verified.**`,
    '',
    'Its attestation document is not signed, so any program could have sent it. Use it for tests only, and send it',
    'nothing private. The connection is encrypted, but you cannot know to whom.',
    ...backend,
    ...(moduleId === null ? [] : ['', `Enclave ID (not verified): ${asCode(moduleId)}`]),
    '',
    'To use a verified enclave, reset the setting `sealedProxy.backendUrl` to its default,',
    `${asCode(DEFAULT_BACKEND)}.`,
  ];
}

/** Names the check that failed: the table is long. */
function failedCheck(status: ProxyStatus): string[] {
  const failed = stepOutcomes(status).find(({ outcome }) => outcome === 'refused');
  return failed === undefined ? [] : ['', `**Failed check:** ${failed.what}.`];
}

/** The PCR0 of an image that is not trusted, so that the user can compare it or decide to trust it. */
function refusedImage(status: ProxyStatus): string[] {
  const isRefused = status.kind === 'running' && status.health.kind === 'unreachable';
  const [pcr0] = (isRefused && PCR0.exec(status.health.message)) || [];
  return pcr0 === undefined
    ? []
    : ['', `${glossaryLink('PCR0')}, the measurement (SHA-384) of the enclave image:`, '', ...block(pcr0)];
}

const RESULTS: Readonly<Record<StepOutcome['outcome'], readonly [mark: string, result: string]>> = {
  passed: ['✓', 'Passed'],
  refused: ['✗', '**Failed**'],
  notReached: ['–', 'Not reached'],
  notChecked: ['–', 'Not checked'],
};

/** Empty if the checks did not run, or failed for a reason that is not one of them. */
function checksTable(status: ProxyStatus): string[] {
  const outcomes = stepOutcomes(status);
  if (outcomes.some(({ outcome }) => outcome === 'notChecked')) return [];
  const rows = outcomes.map(({ what, outcome, found }) => {
    const [mark, result] = RESULTS[outcome];
    return `| ${mark} | ${what} | ${found || result} |`;
  });
  return ['', '## What was checked', '', '| | Check | Result |', '| --- | --- | --- |', ...rows];
}

function approval({ environment, approvedBy }: Verified): string {
  return {
    pinned: `On the ${environment} list built into the extension`,
    additional: 'Added by you (`sealedProxy.additionalPcr0`)',
    history: `In the signed history of ${environment} images`,
  }[approvedBy];
}

function block(text: string): string[] {
  return ['```', ...(text.match(/.{1,64}/g) ?? []), '```'];
}

function iso(at: number): string {
  return new Date(at).toISOString().replace(/\.\d+/, '');
}

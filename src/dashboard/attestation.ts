// What was verified, as the dashboard shows it. The status decides what is said; the evidence, if it is about the same
// handshake, adds what was examined. Pure.
import { DEFAULT_BACKEND } from '../presentation/apiKeyText.ts';
import { STEPS, approvedBy, isFailureOf, stepOutcomes } from '../presentation/attestationSteps.ts';
import type { StepOutcome } from '../presentation/attestationSteps.ts';
import { COMMANDS } from '../presentation/commands.ts';
import { imageApproval, imageQuestion } from '../presentation/imageText.ts';
import { describeFailure, describeStatus } from '../presentation/statusText.ts';
import { PCR0, joined, sentence, shortPcr0 } from '../presentation/text.ts';
import type { Fact } from '../presentation/text.ts';
import { isAttested } from '../settings/rules.ts';
import { CHECK_GROUPS } from '../shared/checks.ts';
import type { CheckGroup } from '../shared/checks.ts';
import type { Evidence, EvidenceCheck } from '../shared/evidence.ts';
import type { ProxyStatus } from '../shared/status.ts';
import type { AttestationGroup, AttestationSection, AttestationStep, ChainCertificate, Summary } from './model.ts';

/** The enclave of the default backend, in the repository that also contains its image history (pins.ts). */
const SOURCE_CODE = 'https://github.com/MaplePrivacyLabs/Maple/tree/master/services/opensecret';

const LIMITS = [
  'What the program in the image does. PCR0 identifies the image; the makers of the default backend publish its source ' +
    `code and build instructions at ${SOURCE_CODE}.`,
  'Whether a certificate was revoked. The last certificate is valid for about three hours only, which limits the risk.',
  'PCR values other than PCR0, which covers the complete image.',
  'This computer. Programs on it can read what you type.',
];

/** What a group of checks asks, and what it means that all of them passed, or that one failed. */
const GROUPS: Readonly<
  Record<CheckGroup, { readonly question: string; readonly passed: string; readonly failed: string }>
> = {
  signer: {
    question: 'Who signed it?',
    passed: 'AWS: the signature of the attestation document leads to its root certificate.',
    failed: 'It is not proven that AWS signed the attestation document.',
  },
  program: {
    question: 'Which program runs?',
    passed: 'A trusted enclave image, which does not run in debug mode.',
    failed: 'It is not proven that a trusted enclave image runs.',
  },
  keys: {
    question: 'Whose keys are used?',
    passed: "The enclave's and this computer's: nobody in between can read the session.",
    failed: "The keys of the session are not proven to be the enclave's and this computer's.",
  },
  freshness: {
    question: 'Is it fresh?',
    passed: 'Yes: the document was made for this handshake, and its certificates were valid at that time.',
    failed: 'It is not proven that the document was made for this handshake, with valid certificates.',
  },
};

const NO_VERDICT = {
  notReached: 'Not reached: an earlier check failed.',
  notChecked: 'Not checked.',
} as const;

/** The result of several checks is that of the first of these that one of them has. */
const WORST_FIRST = ['failed', 'notReached', 'notChecked', 'passed'] as const;

/** @param evidence null: there was no handshake with a document yet */
export function attestationSection(status: ProxyStatus, evidence: Evidence | null): AttestationSection {
  const usable = evidence !== null && isAbout(status, evidence) ? evidence : undefined;
  const outcomes = stepOutcomes(status);
  const summary = describe(status, outcomes);
  return {
    ...summary,
    groups: wereChecked(status, outcomes) ? groupsOf(status, outcomes, usable) : [],
    chain: usable === undefined ? [] : certificateChain(usable),
    image: imageOf(status, usable),
    limits: summary.tone === 'good' ? LIMITS : [],
    canSaveEvidence: evidence !== null,
  };
}

/** Whether the evidence is from the handshake that the status tells of. */
function isAbout(status: ProxyStatus, evidence: Evidence): boolean {
  if (status.kind !== 'running' || status.backendUrl !== evidence.backend) return false;
  const { verified, health, newImage } = status;
  if (verified?.kind === 'verified') return verified.document === evidence.attestationDocument;
  if (verified === null && newImage) return newImage.pcr0 === evidence.pcr0;
  if (verified !== null || health.kind !== 'unreachable' || health.failure === null) return false;
  const { failure } = health;
  const failed = evidence.checks.find(({ result }) => result === 'fail');
  return STEPS.some((step) => step.id === failed?.id && isFailureOf(step, failure));
}

/** False if there was no document, or no reason to refuse it: then the list would say nothing. */
function wereChecked(status: ProxyStatus, outcomes: readonly StepOutcome[]): boolean {
  const isDevelopment = status.kind === 'running' && status.verified?.kind === 'development';
  return isDevelopment || outcomes.some(({ result }) => result !== 'notChecked');
}

function groupsOf(
  status: ProxyStatus,
  outcomes: readonly StepOutcome[],
  evidence: Evidence | undefined,
): readonly AttestationGroup[] {
  const steps = outcomes.map((outcome, index) => withEvidence(outcome, index, evidence));
  const { reason = '', remedy = '' } = failureOf(status) ?? {};
  return CHECK_GROUPS.map((group) => {
    const own = steps.filter((_step, index) => STEPS[index]?.group === group);
    const result = WORST_FIRST.find((worst) => own.some((step) => step.result === worst)) ?? 'notChecked';
    const { question, ...verdicts } = GROUPS[group];
    return {
      question,
      result,
      verdict: { ...NO_VERDICT, ...verdicts }[result],
      reason: result === 'failed' ? joined(reason, remedy) : '',
      steps: own,
    };
  });
}

function failureOf(status: ProxyStatus) {
  return status.kind === 'running' && status.health.kind === 'unreachable' ? describeFailure(status.health) : undefined;
}

function withEvidence(outcome: StepOutcome, index: number, evidence: Evidence | undefined): AttestationStep {
  const check = evidence?.checks.find(({ id }) => id === STEPS[index]?.id);
  if (check === undefined) return { ...outcome, examined: [] };
  const { id, examined } = check;
  const passed = check.result === 'skipped' && outcome.result === 'passed' ? 'notChecked' : outcome.result;
  return {
    what: outcome.what,
    result: check.result === 'fail' ? 'failed' : passed,
    found:
      id === 'trusted_root' && outcome.found !== ''
        ? `SHA-256 ${shortPcr0(String(examined['sha256']))}`
        : outcome.found,
    examined: examinedBy(check),
  };
}

function examinedBy({ examined }: EvidenceCheck): readonly Fact[] {
  return Object.entries(examined).flatMap(([name, value]) => {
    const values = typeof value === 'string' ? [value] : value;
    return values.map((each, index) => ({
      name: labelOf(name, values.length === 1 ? '' : ` ${index + 1}`),
      value: each,
    }));
  });
}

/** Examined values by their names in the evidence. */
const LABELS: Readonly<Record<string, string>> = {
  sha256: 'SHA-256',
  subjects: 'Subject',
  notBefore: 'Valid from',
  notAfter: 'Valid until',
  sigStructureSha384: 'SHA-384 of the signed bytes',
  signature: 'Signature',
  publicKey: 'Public key of the last certificate',
  expected: 'Expected',
  found: 'Found',
  time: 'Time of the check',
  pcr0: 'PCR0',
  pcr1: 'PCR1',
  pcr2: 'PCR2',
  by: 'Approved by',
  url: 'Address of the history',
  timestamp: 'Listed since, seconds since 1970',
};

/** With the name in the evidence file, unless the label is the same in other letters. */
function labelOf(name: string, number: string): string {
  const label = Object.hasOwn(LABELS, name) ? LABELS[name] : undefined;
  if (label === undefined) return `${name}${number}`;
  const isSame = label.toLowerCase().replaceAll('-', '') === name.toLowerCase();
  return isSame ? `${label}${number}` : `${label}${number} (${name})`;
}

/** What holds while there is no session. A development backend gets prompts without being verified. */
function promiseOf(status: ProxyStatus): string {
  const isDevelopment = status.kind === 'running' && !isAttested(status.backendUrl);
  return isDevelopment
    ? 'The backend is a development backend on this computer, which is never verified.'
    : 'No prompt leaves this computer without a verified session.';
}

function describe(status: ProxyStatus, steps: readonly StepOutcome[]): Summary {
  const verified = status.kind === 'running' ? status.verified : null;
  switch (verified?.kind) {
    case 'verified':
      return {
        tone: 'good',
        headline: 'The enclave is verified.',
        detail:
          'Prompts to the models of Sealed Proxy are encrypted on this computer, and only the program inside the ' +
          'enclave can decrypt them. Networks and servers in between cannot.',
      };
    case 'development':
      return {
        tone: 'warning',
        headline: 'You are using a development backend. It is not verified.',
        detail:
          'Its attestation document is not signed, so any program could have sent it. Use it for tests only, and send ' +
          'it nothing private. The connection is encrypted, but you cannot know to whom. To use a verified enclave, ' +
          `reset the setting sealedProxy.backendUrl to its default, ${DEFAULT_BACKEND}.`,
      };
    case undefined: {
      if (status.kind === 'running' && status.newImage) {
        return {
          tone: 'warning',
          headline: 'The enclave is verified, but its new image needs your consent.',
          detail: joined(
            ...imageQuestion(status.backendUrl, status.newImage),
            `To answer, run "Sealed Proxy: ${COMMANDS.reviewImage.title}".`,
          ),
        };
      }
      const isRefused = steps.some(({ result }) => result === 'failed');
      const { headline, detail } = describeStatus(status);
      const failure = failureOf(status);
      const promise = failure?.notSent || promiseOf(status);
      const why = failure === undefined ? [detail, promise] : [failure.reason, promise, failure.remedy];
      return {
        tone: isRefused ? 'error' : 'neutral',
        headline: 'The enclave is not verified.',
        // The group of the check that failed has the reason and the remedy.
        detail: joined(headline, ...(isRefused ? [promise] : why), failure?.next ?? ''),
      };
    }
  }
}

function imageOf(status: ProxyStatus, evidence: Evidence | undefined): AttestationSection['image'] {
  if (status.kind !== 'running') return null;
  if (status.verified?.kind === 'verified') {
    const { verified } = status;
    return { pcr0: verified.pcr0, approval: joined(sentence(approvedBy(verified)), sinceOf(evidence)) };
  }
  if (status.newImage) return { pcr0: status.newImage.pcr0, approval: imageApproval(status.newImage) };
  const [pcr0] = (status.health.kind === 'unreachable' && PCR0.exec(status.health.message)) || [];
  return pcr0 === undefined ? null : { pcr0, approval: 'This image is not trusted.' };
}

/** The signature of an entry in the history covers the PCR0 alone. */
function sinceOf(evidence: Evidence | undefined): string {
  if (evidence?.approval?.by !== 'history') return '';
  const date = new Date(evidence.approval.timestamp * 1000);
  if (Number.isNaN(date.getTime())) return '';
  const day = date.toLocaleDateString('en-US', { year: 'numeric', month: 'long', day: 'numeric', timeZone: 'UTC' });
  return `The history lists it since ${day}; this date is not signed.`;
}

/** As the evidence describes it (docs/evidence.md), root first; empty unless the check of the chain has passed. */
function certificateChain({ checks }: Evidence): readonly ChainCertificate[] {
  const check = checks.find(({ id }) => id === 'certificate_chain');
  if (check?.result !== 'pass') return [];
  const valuesOf = (name: string) => [check.examined[name] ?? []].flat();
  const [sha256, subjects, notBefore, notAfter] = ['sha256', 'subjects', 'notBefore', 'notAfter'].map(valuesOf);
  return (sha256 ?? []).map((fingerprint, index, all) => {
    const subject = subjects?.[index] ?? '';
    return {
      role: roleOf(index, all.length),
      name: /^CN=(.*)$/m.exec(subject)?.[1] ?? subject,
      subject: subject.replaceAll('\n', ', '),
      validFrom: Date.parse(notBefore?.[index] ?? ''),
      validTo: Date.parse(notAfter?.[index] ?? ''),
      sha256: fingerprint,
    };
  });
}

function roleOf(index: number, length: number): ChainCertificate['role'] {
  if (index === 0) return 'root';
  return index === length - 1 ? 'leaf' : 'intermediate';
}

// `sealed-proxy verify FILE`: repeats the checks of evidence, or of an attestation document, without a network.
import { hash } from 'node:crypto';
import { parseArgs } from 'node:util';
import { parseCertificate } from '../../attestation/certificates.ts';
import { AWS_NITRO_ROOT, isTrustAnchor } from '../../attestation/trust.ts';
import { isVerified, refuseForm, verifyBareDocument, verifyEvidence } from '../../attestation/verifyEvidence.ts';
import type { Step, StepId, VerifierTrust } from '../../attestation/verifyEvidence.ts';
import { asBuffer, fromBase64 } from '../../shared/bytes.ts';
import { CHECKS } from '../../shared/checks.ts';
import { MAX_EVIDENCE_BYTES, parseEvidence } from '../../shared/evidence.ts';
import type { Evidence } from '../../shared/evidence.ts';
import { asObject, isUnambiguous, parseJson } from '../../shared/json.ts';
import { isPcr } from '../../shared/pcr0.ts';
import { FileError, readLimited } from './commandLineFiles.ts';
import { EXIT, complain } from './exit.ts';

/** The first byte of an attestation document: a CBOR array of four. */
const ARRAY_OF_FOUR = 0x84;
/** With a zone: the time of a place would depend on the computer. */
const ISO_TIME =
  /^(?!0000)\d{4}-\d\d-\d\dT(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,3})?)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;
/** The years 0001 to 9999 in UTC, in milliseconds since 1970. */
const FIRST_TIME = Date.parse('0001-01-01T00:00:00.000Z');
const LAST_TIME = Date.parse('9999-12-31T23:59:59.999Z');
/** White space in JSON, which is also ignored in Base64 and in PEM. */
const WHITE_SPACE = /[ \t\r\n]/g;

const TITLES: Readonly<Record<StepId, { readonly title: string }>> = {
  file_format: { title: 'The file has the form of evidence' },
  file_digest: { title: 'The digest fits the other fields' },
  ...CHECKS,
  verified_at: { title: 'The time in the file fits the time in the document' },
  recorded_values: { title: 'What the file says about the checks is what they find' },
};

/** An argument that cannot be used. The message is for the user. */
class ArgumentError extends Error {
  override readonly name = 'ArgumentError';
}

interface Arguments {
  readonly path: string;
  readonly at: number | undefined;
  readonly challenge: Uint8Array | undefined;
  readonly trust: VerifierTrust;
  /** What is trusted, for the user. */
  readonly root: string;
}

/** What a file contains. */
type Content =
  | { readonly kind: 'evidence'; readonly text: string; readonly value: unknown }
  | { readonly kind: 'document'; readonly document: Uint8Array };

/**
 * @param args the arguments after `verify`
 * @returns the exit code: 0 only if every step passed
 */
export async function verifyFile(args: readonly string[]): Promise<number> {
  try {
    const given = await readArguments(args);
    const content = recognize(given.path, await readLimited(given.path, MAX_EVIDENCE_BYTES));
    const lines = content.kind === 'evidence' ? verifyValue(content, given) : verifyDocument(content, given);
    process.stdout.write(`${lines.text.map(printable).join('\n')}\n`);
    return lines.verified ? EXIT.ok : EXIT.failed;
  } catch (error) {
    if (!(error instanceof FileError || error instanceof ArgumentError)) throw error;
    return complain(EXIT.invalid, printable(error.message));
  }
}

interface Outcome {
  readonly text: readonly string[];
  readonly verified: boolean;
}

function verifyValue(
  { text: file, value }: Extract<Content, { kind: 'evidence' }>,
  { trust, root, at, challenge }: Arguments,
): Outcome {
  if (challenge !== undefined) {
    throw new ArgumentError('--challenge is for an attestation document; evidence contains its challenge');
  }
  const parsed = parseEvidence(value);
  const isAmbiguous = parsed !== undefined && !isUnambiguous(file, value);
  const steps = isAmbiguous
    ? refuseForm('a name occurs twice in an object, or a number is -0 or has a fraction or an exponent')
    : verifyEvidence(value, trust, at);
  const verified = isVerified(steps);
  const evidence = isAmbiguous ? undefined : parsed;
  const text = evidence === undefined ? [] : describe(evidence, at, root);
  return { text: [...text, ...steps.flatMap(lineOf), '', conclude(steps), ...advise(steps, evidence)], verified };
}

function verifyDocument(
  { document }: { readonly document: Uint8Array },
  { trust, root, at, challenge }: Arguments,
): Outcome {
  if (at === undefined) {
    throw new ArgumentError('an attestation document does not say when it was verified: name the time with --at');
  }
  const steps = verifyBareDocument({ document, challenge }, trust, at);
  const isComplete = steps.every(({ result }) => result !== 'fail');
  const text = [
    'An attestation document without evidence',
    `Time:  ${new Date(at).toISOString()} (--at)`,
    `Root:  ${root}`,
    '',
    ...steps.flatMap(lineOf),
    '',
    conclude(steps),
    ...(isComplete ? ['All checks that could run passed. Skipped ones have nothing to compare with.'] : []),
  ];
  return { text, verified: isVerified(steps) };
}

function describe(evidence: Evidence, at: number | undefined, root: string): string[] {
  const { backend, version, verifiedAt, environment, approval, pcr0 } = evidence;
  const time = at === undefined ? `${verifiedAt} (verifiedAt in the file)` : `${new Date(at).toISOString()} (--at)`;
  return [
    `Evidence of ${backend}, made by Sealed Proxy ${version}`,
    `Time:  ${time}`,
    `Root:  ${root}`,
    `PCR0:  ${pcr0 ?? 'none'} (as the file says)`,
    `Image: ${environment}, approved by: ${approval?.by ?? 'nothing'} (as the file says)`,
    '',
  ];
}

function lineOf({ id, result, cause }: Step): string[] {
  const line = `${(result === 'fail' ? 'FAIL' : result).padEnd(8)} ${id.padEnd(21)} ${TITLES[id].title}`;
  return cause === undefined ? [line] : [line, `${' '.repeat(31)}${cause}`];
}

function conclude(steps: readonly Step[]): string {
  const count = (result: Step['result']) => steps.filter((step) => step.result === result).length;
  if (isVerified(steps)) return `Verified: all ${steps.length} steps passed.`;
  return `Not verified: ${count('pass')} steps passed, ${count('fail')} failed, ${count('skipped')} skipped.`;
}

function advise(steps: readonly Step[], evidence: Evidence | undefined): string[] {
  const isRefused = steps.some(({ id, result }) => id === 'image_approved' && result === 'fail');
  if (!isRefused || evidence?.approval?.by !== 'setting') return [];
  return ['A setting of the user who made the file approved the image. If you trust it too, name it with --pcr0.'];
}

/** @throws ArgumentError, FileError */
async function readArguments(args: readonly string[]): Promise<Arguments> {
  const { values, positionals } = parse(args);
  const [path, ...others] = positionals;
  if (path === undefined || others.length > 0) throw new ArgumentError('verify takes one file; see --help');
  const additionalPcr0 = (values.pcr0 ?? []).map((text) => text.toLowerCase());
  if (!additionalPcr0.every(isPcr)) refuse('--pcr0 takes a PCR0, which has 96 hex digits');
  const challenge =
    values.challenge === undefined
      ? undefined
      : (fromBase64(values.challenge) ?? refuse('--challenge takes Base64 with padding'));
  const own = values.root === undefined ? undefined : parseRoot(values.root, await readLimited(values.root, 65_536));
  return {
    path,
    at: values.at === undefined ? undefined : parseTime(values.at),
    challenge,
    trust: { anchors: own === undefined ? AWS_NITRO_ROOT : { roots: [own] }, additionalPcr0 },
    root: own === undefined ? 'AWS Nitro Enclaves' : describeRoot(values.root ?? '', own),
  };
}

function describeRoot(path: string, root: Uint8Array): string {
  if (isTrustAnchor(AWS_NITRO_ROOT, root)) return `${path} (--root), that of AWS Nitro Enclaves`;
  return `${path} (--root), NOT that of AWS; SHA-256 ${hash('sha256', root)}`;
}

function parse(args: readonly string[]) {
  const options = {
    at: { type: 'string' },
    pcr0: { type: 'string', multiple: true },
    root: { type: 'string' },
    challenge: { type: 'string' },
  } as const;
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    throw new ArgumentError(`${(error as Error).message.split('. ', 1)[0] ?? ''}; see --help`);
  }
}

function parseTime(text: string): number {
  const time = /^\d{1,15}$/.test(text) ? Number(text) : ISO_TIME.test(text) && isDate(text) ? Date.parse(text) : NaN;
  if (!(time >= FIRST_TIME && time <= LAST_TIME))
    refuse('--at takes a time such as 2026-01-15T12:00:00Z, or milliseconds since 1970');
  return time;
}

/** JavaScript takes 30 February for 2 March. */
function isDate(text: string): boolean {
  const day = text.slice(0, 10);
  const time = Date.parse(day);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(day);
}

function parseRoot(path: string, file: Uint8Array): Uint8Array {
  try {
    const root = fromPem(asBuffer(file).toString('latin1')) ?? file;
    parseCertificate(root);
    return root;
  } catch {
    throw new ArgumentError(`${path} is not one certificate in PEM or DER, with a key on P-384`);
  }
}

/** The only certificate in PEM (RFC 7468); text around it is ignored. Undefined: this is not PEM. */
function fromPem(text: string): Uint8Array | undefined {
  const [, block, ...others] = text.split('-----BEGIN ');
  if (block === undefined) return undefined;
  const base64 = /^CERTIFICATE-----(?<base64>[^-]*)-----END CERTIFICATE-----/.exec(block)?.groups?.['base64'];
  if (others.length > 0 || base64 === undefined) throw new Error('not one certificate');
  return fromBase64(base64.replaceAll(WHITE_SPACE, ''));
}

/** @throws ArgumentError */
function recognize(path: string, file: Uint8Array): Content {
  const value = asObject(parseJson(file));
  if (value !== undefined) return { kind: 'evidence', text: asBuffer(file).toString('utf8'), value };
  const text = asBuffer(file).toString('latin1').replaceAll(WHITE_SPACE, '');
  const document = fromBase64(text) ?? file;
  if (document[0] === ARRAY_OF_FOUR) return { kind: 'document', document };
  throw new ArgumentError(`${path} is neither evidence of Sealed Proxy nor an attestation document`);
}

function refuse(sentence: string): never {
  throw new ArgumentError(sentence);
}

/** Without control and format characters, which a terminal would obey. */
function printable(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '?');
}

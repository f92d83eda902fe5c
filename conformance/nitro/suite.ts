// The suite as files, and the contract between the suite and an implementation. README.md describes both.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { CHECKS, CHECK_IDS, type CheckError, type CheckId } from '../../src/shared/checks.ts';
import { AREAS, type Area, type Case, type Facts } from './generator/cases.ts';

export const CASES_FOLDER = new URL('cases/', import.meta.url);

/** Exit codes of `verify`. Any other one is an error of the implementation. */
export const EXIT = { accepted: 0, rejected: 10, notSupported: 20, badInput: 30 } as const;

/** What an implementation enforces of a policy. What is left out accepts everything. */
interface Policy {
  /** 96 lower-case hex digits each. */
  readonly pcr0?: readonly string[];
  readonly publicKeyBytes: number;
  /** Base64. */
  readonly userData?: string;
}

/** What an implementation reads. Bytes are Base64. */
export interface Input {
  readonly document: string;
  /** DER. */
  readonly anchors: readonly string[];
  /** ISO 8601, UTC, milliseconds. */
  readonly at: string;
  readonly challenge?: string;
  readonly policy: Policy;
}

export type Verdict = { readonly verdict: 'accepted' } | { readonly verdict: 'rejected'; readonly code: CheckError };

/** What an implementation writes. */
export interface Output {
  readonly verdict: 'accepted' | 'rejected' | 'not_supported' | 'error';
  readonly code?: string;
  readonly message?: string;
}

export interface Capabilities {
  readonly name: string;
  /** The checks whose rejections it can find. */
  readonly checks: readonly string[];
  /** Whether it has `verify-batch`. */
  readonly batch: boolean;
}

/** A case in a file. */
export interface CaseFile extends Pick<Facts, 'strength' | 'clause'>, Input {
  /** `AREA/NAME`, unique. */
  readonly id: string;
  readonly title: string;
  /** What refuses the document; missing if it is accepted. */
  readonly check?: CheckId;
  readonly expected: Verdict;
}

interface AreaFile {
  readonly area: Area;
  /** DER in Base64 by name: the first digits of its SHA-256. */
  readonly anchors: Readonly<Record<string, string>>;
  readonly cases: readonly CaseFile[];
}

/** All cases with the bytes of their anchors. */
export function readSuite(): readonly CaseFile[] {
  return AREAS.flatMap((area) => {
    const { anchors, cases } = JSON.parse(readFileSync(new URL(`${area}.json`, CASES_FOLDER), 'utf8')) as AreaFile;
    return cases.map((one) => ({ ...one, anchors: one.anchors.map((name) => anchors[name] ?? '') }));
  });
}

export function areaOf({ id }: CaseFile): string {
  return id.split('/', 1).join();
}

export function checkOf(code: CheckError): CheckId {
  const found = CHECK_IDS.find((id) => (CHECKS[id].errors as readonly string[]).includes(code));
  if (found === undefined) throw new Error(`no check has the error ${code}`);
  return found;
}

export function inputOf({ document, anchors, at, challenge, policy }: CaseFile): Input {
  return { document, anchors, at, ...(challenge === undefined ? {} : { challenge }), policy };
}

/** The text of an area's file. */
export function renderArea(area: Area, cases: readonly Case[], nameOf: (anchor: Uint8Array) => string): string {
  const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');
  const anchors = cases.flatMap(({ inputs }) => inputs.anchors.map((anchor) => [nameOf(anchor), base64(anchor)]));
  const rows = cases.map(({ name, strength, clause, document, inputs, refused, check }): CaseFile => {
    const { at, challenge, pcr0, userData } = inputs;
    return {
      id: `${area}/${slugOf(name)}`,
      title: name,
      strength,
      clause,
      ...(refused === undefined ? {} : { check: check ?? checkOf(refused) }),
      expected: refused === undefined ? { verdict: 'accepted' } : { verdict: 'rejected', code: refused },
      anchors: inputs.anchors.map(nameOf),
      at: new Date(at).toISOString(),
      ...(challenge === undefined ? {} : { challenge: base64(challenge) }),
      policy: {
        ...(pcr0 === undefined ? {} : { pcr0: pcr0.map((value) => Buffer.from(value).toString('hex')) }),
        publicKeyBytes: 32,
        ...(userData === undefined ? {} : { userData: base64(userData) }),
      },
      document: base64(document),
    };
  });
  const file: AreaFile = { area, anchors: Object.fromEntries(anchors) as AreaFile['anchors'], cases: rows };
  return `${JSON.stringify(file, null, 1)}\n`;
}

function slugOf(name: string): string {
  return name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '');
}

export type Outcome = 'pass' | 'other code' | 'differs' | 'not supported';

export interface Result {
  readonly one: CaseFile;
  readonly output: Output;
  readonly outcome: Outcome;
}

export class Implementation {
  readonly #command: readonly string[];
  readonly capabilities: Capabilities;

  /** @param command program and arguments that come before the subcommand */
  constructor(command: readonly string[]) {
    this.#command = command;
    this.capabilities = JSON.parse(this.run('capabilities').stdout) as Capabilities;
  }

  /** Starts the program once. */
  run(subcommand: string, input = ''): { readonly code: number | null; readonly stdout: string } {
    const [program = '', ...args] = this.#command;
    const { status, stdout, error } = spawnSync(program, [...args, subcommand], {
      input,
      encoding: 'utf8',
      maxBuffer: 1e8,
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    if (error) throw error;
    return { code: status, stdout };
  }

  /** The results of all cases, in their order. Cases of a check that it does not have are not given to it. */
  results(cases: readonly CaseFile[]): readonly Result[] {
    const has = ({ check }: CaseFile) => check === undefined || this.capabilities.checks.includes(check);
    const given = cases.filter(has);
    const outputs = this.capabilities.batch ? this.#batch(given) : given.map((one) => this.#single(one));
    const byId = new Map(given.map(({ id }, index) => [id, outputs[index]]));
    return cases.map((one) => {
      const output = has(one)
        ? (byId.get(one.id) ?? { verdict: 'error', message: 'no output' })
        : { verdict: 'not_supported' as const };
      return { one, output, outcome: outcomeOf(one, output) };
    });
  }

  #batch(cases: readonly CaseFile[]): readonly Output[] {
    const { stdout } = this.run('verify-batch', cases.map((one) => `${JSON.stringify(inputOf(one))}\n`).join(''));
    return stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Output);
  }

  #single(one: CaseFile): Output {
    const { code, stdout } = this.run('verify', JSON.stringify(inputOf(one)));
    if (code === EXIT.accepted) return { verdict: 'accepted' };
    if (code === EXIT.notSupported) return { verdict: 'not_supported' };
    if (code === EXIT.rejected) return JSON.parse(stdout) as Output;
    return { verdict: 'error', message: `exit code ${String(code)}` };
  }
}

function outcomeOf({ expected }: CaseFile, { verdict, code }: Output): Outcome {
  if (verdict === 'not_supported') return 'not supported';
  if (verdict !== expected.verdict) return 'differs';
  return expected.verdict === 'rejected' && code !== expected.code ? 'other code' : 'pass';
}

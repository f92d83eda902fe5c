// The faults that the enclave can inject, so that tests can check that clients reject them: when they apply. The files that
// inject them name and describe them.
import { SIGNED_FAULTS } from './documentSigner.ts';
import { HANDSHAKE_FAULTS } from './handshakeFaults.ts';
import { OUTER_FAULTS } from './outerFaults.ts';
import { DELIVERIES, RECORD_FAULTS } from './recordFaults.ts';

/** Faults by their names, with a summary of each. */
type Faults = Readonly<Record<string, string | { readonly summary: string }>>;

export type HandshakeFault = keyof typeof HANDSHAKE_FAULTS | keyof typeof SIGNED_FAULTS;
export type RequestFault = keyof typeof OUTER_FAULTS | keyof typeof RECORD_FAULTS | keyof typeof DELIVERIES;

const FOR_HANDSHAKES: Faults = { ...HANDSHAKE_FAULTS, ...SIGNED_FAULTS };
const FOR_REQUESTS: Faults = { ...OUTER_FAULTS, ...RECORD_FAULTS, ...DELIVERIES };

interface PlannedFault {
  readonly name: string;
  /** The only handshake or request to which the fault applies, counted from 1; undefined: all of them. */
  readonly only: number | undefined;
}

/** Which faults apply to which handshakes and requests. Both are counted separately. */
export class FaultPlan {
  readonly #planned: readonly PlannedFault[];
  #handshakes = 0;
  #requests = 0;

  constructor(planned: readonly PlannedFault[]) {
    this.#planned = planned;
  }

  /** The faults of the next handshake. */
  nextHandshake(): ReadonlySet<HandshakeFault> {
    return this.#at(++this.#handshakes, FOR_HANDSHAKES) as ReadonlySet<HandshakeFault>;
  }

  /** The faults of the next request. */
  nextRequest(): ReadonlySet<RequestFault> {
    return this.#at(++this.#requests, FOR_REQUESTS) as ReadonlySet<RequestFault>;
  }

  #at(count: number, known: Faults): ReadonlySet<string> {
    const due = this.#planned.filter(({ name, only }) => Object.hasOwn(known, name) && (only ?? count) === count);
    return new Set(due.map(({ name }) => name));
  }
}

/**
 * Parses a comma-separated list of `name` (always) or `name:N` (only in the N-th handshake or request).
 * @param signed whether the enclave signs its documents
 * @throws RangeError for an unknown fault, or for a fault of the signature if documents are not signed
 */
export function parseFaults(list: string, signed: boolean): FaultPlan {
  const entries = list.split(',').map((entry) => entry.trim());
  return new FaultPlan(entries.filter((entry) => entry !== '').map((entry) => parseFault(entry, signed)));
}

function parseFault(entry: string, signed: boolean): PlannedFault {
  const [, name = '', count] = /^([a-z0-9-]+)(?::([1-9][0-9]{0,8}))?$/.exec(entry) ?? [];
  if (!Object.hasOwn(FOR_HANDSHAKES, name) && !Object.hasOwn(FOR_REQUESTS, name)) {
    throw new RangeError(`unknown fault ${JSON.stringify(entry)}`);
  }
  if (!signed && Object.hasOwn(SIGNED_FAULTS, name)) {
    throw new RangeError(`${name} needs an enclave that signs its documents`);
  }
  return { name, only: count === undefined ? undefined : Number(count) };
}

/** Lists all faults with their descriptions. */
export function describeFaults(): string {
  const groups: [string, Faults][] = [
    ['In the handshake', HANDSHAKE_FAULTS],
    ['In the handshake of an enclave that signs its documents', SIGNED_FAULTS],
    ['Outside of the records', OUTER_FAULTS],
    ['In the records', RECORD_FAULTS],
    ['Unusual deliveries of correct records', DELIVERIES],
  ];
  return groups
    .map(([title, faults]) => [`${title}:`, ...Object.entries(faults).map(describe)].join('\n'))
    .join('\n\n');
}

function describe([name, fault]: [string, Faults[string]]): string {
  return `  ${name.padEnd(26)}${typeof fault === 'string' ? fault : fault.summary}`;
}

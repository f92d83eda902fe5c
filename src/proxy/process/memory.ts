// How much memory requests may take: what the process may use, divided by what requests cost.
import { totalmem } from 'node:os';
import { getHeapStatistics } from 'node:v8';
import { MAX_BODY } from '../../session/wire.ts';

/** In bytes. */
export const MIB = 1024 * 1024;

/** What the process may use, in bytes. */
export interface AvailableMemory {
  /** Of the computer, or of the container. */
  readonly total: number;
  /** Of JavaScript objects in each thread, if an option of Node limits them: by default, a thread gets what it needs. */
  readonly heap?: number | undefined;
}

/** In bytes. */
export interface MemoryLimits {
  /** Of request bodies that all requests together may keep. */
  readonly bodies: number;
  /** Of translations that run at the same time. */
  readonly translations: number;
  readonly largestBody: number;
  /** The same for a dialect. */
  readonly largestTranslatedBody: number;
  /** For error messages; undefined: no limit is smaller because of it. */
  readonly constrainedTo?: number;
}

/** The process without requests, and what the kernel keeps for its connections. */
const IDLE = 144 * MIB;
/** Reserved at least, however little memory there is: Node itself needs more. */
const LEAST = 48 * MIB;

/** What a translation takes of the memory for each byte of its body: the text, its values, their copies, the result. */
const COPIES = 11;
/** What each value in JSON takes at most, with what is made of it. */
const PER_VALUE = 160;
/** The most values that a request may have: far more than conversations have. */
const MAX_VALUES = 1_000_000;
/** A request may have this many values however short it is. */
const FEW_VALUES = 131_072;
/** Larger requests may have a value for so many bytes. */
const BYTES_PER_VALUE = 8;
/** Conversations have fewer values than one for so many bytes. */
const USUAL_BYTES_PER_VALUE = 40;

/** With enough memory. */
const UNCONSTRAINED = {
  bodies: 10 * MAX_BODY,
  largestBody: MAX_BODY,
  largestTranslatedBody: 32 * MIB,
  translations: 2 * costOf(32 * MIB, MAX_VALUES),
};

const HEAP_OPTION = /--max[-_](?:old[-_]space|heap)[-_]size/;

/** What this process may use. Where nothing limits it, systems report 0 or a number beyond the computer's memory. */
export function availableMemory(): AvailableMemory {
  const constrained = process.constrainedMemory();
  const isLimited = constrained > 0 && constrained < totalmem();
  const options = [...process.execArgv, process.env['NODE_OPTIONS'] ?? ''].join(' ');
  const heap = HEAP_OPTION.test(options) ? getHeapStatistics().heap_size_limit : undefined;
  return { total: isLimited ? constrained : totalmem(), heap };
}

/** The limits that keep the process within this memory: a third for bodies, two thirds for translations. */
export function limitMemory({ total, heap = Infinity }: AvailableMemory): MemoryLimits {
  const free = Math.max(total - IDLE, LEAST);
  const translations = Math.min(UNCONSTRAINED.translations, Math.floor((free * 2) / 3));
  const bodies = Math.min(UNCONSTRAINED.bodies, free - translations);
  // the least that a caller alone may hold (RequestLimits): one without an access key, where there are access keys
  const largestBody = Math.min(UNCONSTRAINED.largestBody, wholeMebibytes(bodies / 3));
  const inOneThread = Math.min(translations, Math.max(heap - 2 * LEAST, LEAST));
  const translated = wholeMebibytes(inOneThread / (COPIES + PER_VALUE / USUAL_BYTES_PER_VALUE));
  const largestTranslatedBody = Math.min(UNCONSTRAINED.largestTranslatedBody, largestBody, translated);
  const isConstrained =
    largestBody < UNCONSTRAINED.largestBody || largestTranslatedBody < UNCONSTRAINED.largestTranslatedBody;
  return {
    bodies,
    translations,
    largestBody,
    largestTranslatedBody,
    ...(isConstrained && { constrainedTo: Math.min(total, heap) }),
  };
}

/** What the translation of one request may take. */
export interface TranslationLimits {
  /** In bytes. */
  readonly memory: number;
  /** Values in its JSON. */
  readonly values: number;
}

/** @param translations as in `MemoryLimits` */
export function limitTranslation(bodyLength: number, translations: number): TranslationLimits {
  const wanted = Math.min(MAX_VALUES, Math.max(FEW_VALUES, Math.floor(bodyLength / BYTES_PER_VALUE)));
  const possible = Math.floor((translations - bodyLength * COPIES) / PER_VALUE);
  const values = Math.max(0, Math.min(wanted, possible));
  return { memory: costOf(bodyLength, values), values };
}

function costOf(bodyLength: number, values: number): number {
  return bodyLength * COPIES + values * PER_VALUE;
}

function wholeMebibytes(bytes: number): number {
  return Math.max(1, Math.floor(bytes / MIB)) * MIB;
}

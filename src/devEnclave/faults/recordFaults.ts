// Injects faults into the records of a response (transport V2, section 3).
import { LENGTH_FIELD, MAX_CHUNK, RecordType, TAG_LENGTH } from '../../session/wire.ts';
import { concatBytes } from '../../shared/bytes.ts';
import type { ResponseSealer } from '../transport/enclaveSession.ts';
import type { OuterBody, RecordWriter } from '../transport/encryptedResponse.ts';
import type { ResponseTracker } from '../transport/responseTracker.ts';

interface PlainRecord {
  readonly type: number;
  readonly content: Uint8Array;
}

/** Sends nothing more, and ends the HTTP body, keeps the connection open, resets it or closes it. */
type Stop = 'end' | 'silence' | 'reset' | 'close';

/** What to send: bytes as they are, a record to be sealed, or nothing more. */
type Output = Uint8Array | PlainRecord | Stop;

interface FaultContext {
  /** The number of the record; 0 is the Start. */
  readonly index: number;
  /** Returns the next frame. */
  readonly seal: (record: PlainRecord) => Uint8Array;
  /** Frames that a fault keeps until a later record. */
  readonly delayed: Uint8Array[];
}

/** Returns what to send instead of `record`. */
type Replace = (record: PlainRecord, context: FaultContext) => readonly Output[];

interface RecordFault {
  readonly summary: string;
  readonly replace: Replace;
}

/** A fault of one record only: the one with this number, or the End. */
function at(place: number | 'end', summary: string, replace: Replace): RecordFault {
  return {
    summary,
    replace: (record, context) => {
      const isHere = place === 'end' ? record.type === RecordType.end : context.index === place;
      return isHere ? replace(record, context) : [record];
    },
  };
}

function jsonRecord(type: number, value: object): PlainRecord {
  return { type, content: Buffer.from(JSON.stringify(value)) };
}

const EXTRA_CHUNK = { type: RecordType.chunk, content: Buffer.from('extra') };
const PROVIDER_ERROR = jsonRecord(RecordType.error, { code: 'upstream_provider_error' });

/** Faults of the records, which are numbered from 0, the Start. */
export const RECORD_FAULTS = {
  'tampered-record': at(1, 'one bit of record 1 is wrong', (record, { seal }) => {
    const frame = seal(record);
    frame[LENGTH_FIELD] = (frame[LENGTH_FIELD] ?? 0) ^ 1;
    return [frame];
  }),
  'swapped-records': {
    summary: 'records 1 and 2 are swapped',
    replace: (record, { index, seal, delayed }) => {
      if (index !== 1) return [record, ...delayed.splice(0)];
      delayed.push(seal(record));
      return [];
    },
  },
  'repeated-record': at(1, 'record 1 is sent twice', (record, { seal }) => Array<Output>(2).fill(seal(record))),
  'dropped-record': at(1, 'record 1 is missing', (record, { seal }) => {
    seal(record);
    return [];
  }),
  'truncated-frame': at(1, 'the body ends in the middle of record 1', (record, { seal }) => {
    const frame = seal(record);
    return [frame.subarray(0, frame.length >> 1), 'end'];
  }),
  'early-end': at(2, 'the body ends after record 1', () => ['end']),
  'missing-end': at('end', 'the body ends without an End', () => ['end']),
  'bytes-after-end': at('end', 'a zero byte after the End', (record) => [record, Uint8Array.of(0)]),
  'record-after-end': at('end', 'an authentic Chunk after the End', (record) => [record, EXTRA_CHUNK]),
  'second-start': at(1, 'a second Start before record 1', (record) => [
    jsonRecord(RecordType.start, { status: 200, headers: [] }),
    record,
  ]),
  'chunk-before-start': at(0, 'a Chunk before the Start', (record) => [EXTRA_CHUNK, record]),
  'no-start': at(0, 'no Start', () => []),
  'malformed-start': at(0, 'the Start has an additional field', () => [
    jsonRecord(RecordType.start, { status: 200, headers: [], trailers: [] }),
  ]),
  'oversize-frame': at(1, 'record 1 is an authentic Chunk of 65,537 bytes', () => [
    { type: RecordType.chunk, content: new Uint8Array(MAX_CHUNK + 1) },
  ]),
  'huge-frame': at(1, 'the length of record 1 is 4,294,967,295', ({ content }) => [
    new Uint8Array(LENGTH_FIELD).fill(0xff),
    content,
  ]),
  'tiny-frame': at(1, 'the length of record 1 is 16', () => [
    concatBytes(Uint8Array.of(0, 0, 0, TAG_LENGTH), new Uint8Array(TAG_LENGTH)),
  ]),
  'unknown-type': at(1, 'record 1 has the unknown type 5', ({ content }) => [{ type: 5, content }]),
  'end-with-content': at('end', 'the End has content', ({ type }) => [{ type, content: Uint8Array.of(0) }]),
  'error-record': at(2, 'an Error instead of record 2', () => [PROVIDER_ERROR, 'end']),
  'error-before-start': at(0, 'an Error instead of the Start', () => [PROVIDER_ERROR, 'end']),
  'malformed-error': at(2, 'an Error with an upper-case code instead of record 2', () => [
    jsonRecord(RecordType.error, { code: 'PROVIDER' }),
    'end',
  ]),
  'another-request-id': {
    summary: 'the records are sealed for a different request',
    replace: (record) => [record], // requestRoute.ts passes a sealer for another request
  },
  'reset-mid-response': at(2, 'the connection is reset after record 1', () => ['reset']),
  'close-mid-response': at(2, 'the connection is closed after record 1', () => ['close']),
  'hang-mid-response': at(2, 'nothing is sent after record 1', () => ['silence']),
} as const satisfies Readonly<Record<string, RecordFault>>;

/** Unusual deliveries of correct records, which clients must accept. */
export const DELIVERIES = {
  'byte-by-byte': { summary: 'each byte in an HTTP chunk of its own', deliver: writeByteByByte },
  'one-write': { summary: 'all records in one HTTP chunk, at the end', deliver: writeAtEnd },
} as const;

/** Returns a record writer with the first record fault in `faults`, or undefined if there is none. */
export function createFaultyRecordWriter(
  body: OuterBody,
  sealer: ResponseSealer,
  tracker: ResponseTracker,
  faults: ReadonlySet<string>,
): RecordWriter | undefined {
  const fault = findFault(RECORD_FAULTS, faults);
  if (fault === undefined) return undefined;
  const seal = ({ type, content }: PlainRecord) => sealer.frame(type, content);
  const delayed: Uint8Array[] = [];
  let index = 0;
  let stopped = false;
  let writable = true;
  const stop = (how: Stop) => {
    stopped = true;
    tracker.markFailed();
    if (how === 'end') body.end();
    else if (how !== 'silence') tracker.disconnect(how);
  };
  return {
    write: (type, content) => {
      if (stopped) return writable;
      for (const output of fault.replace({ type, content }, { index: index++, seal, delayed })) {
        if (typeof output === 'string') stop(output);
        else writable = body.write(output instanceof Uint8Array ? output : seal(output));
      }
      return writable;
    },
    finish: () => {
      if (!stopped) body.end();
    },
  };
}

/** Returns `body` with the unusual delivery in `faults`, if any. */
export function applyDeliveryFaults(body: OuterBody, faults: ReadonlySet<string>): OuterBody {
  return findFault(DELIVERIES, faults)?.deliver(body) ?? body;
}

function findFault<Fault>(table: Readonly<Record<string, Fault>>, faults: ReadonlySet<string>): Fault | undefined {
  return Object.entries(table).find(([name]) => faults.has(name))?.[1];
}

function writeByteByByte(body: OuterBody): OuterBody {
  return {
    write: (bytes) => {
      let writable = true;
      for (let offset = 0; offset < bytes.length; offset++) writable = body.write(bytes.subarray(offset, offset + 1));
      return writable;
    },
    end: () => {
      body.end();
    },
  };
}

function writeAtEnd(body: OuterBody): OuterBody {
  const frames: Uint8Array[] = [];
  return {
    write: (bytes) => {
      frames.push(bytes);
      return true;
    },
    end: () => {
      body.write(Buffer.concat(frames));
      body.end();
    },
  };
}

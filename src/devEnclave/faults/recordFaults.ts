// Injects faults into the records of a response (transport V2, section 3).
import { LENGTH_FIELD, MAX_CHUNK, RecordType, TAG_LENGTH } from '../../session/wire.ts';
import { concatBytes } from '../../shared/bytes.ts';
import type { ResponseSealer } from '../transport/enclaveSession.ts';
import type { OuterBody, RecordWriter } from '../transport/encryptedResponse.ts';
import type { ResponseTracker } from '../transport/responseTracker.ts';
import type { RecordFault, RequestFault } from './faults.ts';

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
type Fault = (record: PlainRecord, context: FaultContext) => readonly Output[];

/** A fault of one record only: the one with this number, or the End. */
function at(place: number | 'end', fault: Fault): Fault {
  return (record, context) => {
    const isHere = place === 'end' ? record.type === RecordType.end : context.index === place;
    return isHere ? fault(record, context) : [record];
  };
}

function jsonRecord(type: number, value: object): PlainRecord {
  return { type, content: Buffer.from(JSON.stringify(value)) };
}

const EXTRA_CHUNK = { type: RecordType.chunk, content: Buffer.from('extra') };
const PROVIDER_ERROR = jsonRecord(RecordType.error, { code: 'upstream_provider_error' });

const FAULTS: Readonly<Record<RecordFault, Fault>> = {
  'tampered-record': at(1, (record, { seal }) => {
    const frame = seal(record);
    frame[LENGTH_FIELD] = (frame[LENGTH_FIELD] ?? 0) ^ 1;
    return [frame];
  }),
  'swapped-records': (record, { index, seal, delayed }) => {
    if (index !== 1) return [record, ...delayed.splice(0)];
    delayed.push(seal(record));
    return [];
  },
  'repeated-record': at(1, (record, { seal }) => Array<Output>(2).fill(seal(record))),
  'dropped-record': at(1, (record, { seal }) => {
    seal(record);
    return [];
  }),
  'truncated-frame': at(1, (record, { seal }) => {
    const frame = seal(record);
    return [frame.subarray(0, frame.length >> 1), 'end'];
  }),
  'early-end': at(2, () => ['end']),
  'missing-end': at('end', () => ['end']),
  'bytes-after-end': at('end', (record) => [record, Uint8Array.of(0)]),
  'record-after-end': at('end', (record) => [record, EXTRA_CHUNK]),
  'second-start': at(1, (record) => [jsonRecord(RecordType.start, { status: 200, headers: [] }), record]),
  'chunk-before-start': at(0, (record) => [EXTRA_CHUNK, record]),
  'no-start': at(0, () => []),
  'malformed-start': at(0, () => [jsonRecord(RecordType.start, { status: 200, headers: [], trailers: [] })]),
  'oversize-frame': at(1, () => [{ type: RecordType.chunk, content: new Uint8Array(MAX_CHUNK + 1) }]),
  'huge-frame': at(1, ({ content }) => [new Uint8Array(LENGTH_FIELD).fill(0xff), content]),
  'tiny-frame': at(1, () => [concatBytes(Uint8Array.of(0, 0, 0, TAG_LENGTH), new Uint8Array(TAG_LENGTH))]),
  'unknown-type': at(1, ({ content }) => [{ type: 5, content }]),
  'end-with-content': at('end', ({ type }) => [{ type, content: Uint8Array.of(0) }]),
  'error-record': at(2, () => [PROVIDER_ERROR, 'end']),
  'error-before-start': at(0, () => [PROVIDER_ERROR, 'end']),
  'malformed-error': at(2, () => [jsonRecord(RecordType.error, { code: 'PROVIDER' }), 'end']),
  'another-request-id': (record) => [record], // requestRoute.ts passes a sealer for another request
  'reset-mid-response': at(2, () => ['reset']),
  'close-mid-response': at(2, () => ['close']),
  'hang-mid-response': at(2, () => ['silence']),
};

/** Returns a record writer with the first record fault in `faults`, or undefined if there is none. */
export function createFaultyRecordWriter(
  body: OuterBody,
  sealer: ResponseSealer,
  tracker: ResponseTracker,
  faults: ReadonlySet<RequestFault>,
): RecordWriter | undefined {
  const name = [...faults].find((fault): fault is RecordFault => Object.hasOwn(FAULTS, fault));
  if (name === undefined) return undefined;
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
      for (const output of FAULTS[name]({ type, content }, { index: index++, seal, delayed })) {
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
export function applyDeliveryFaults(body: OuterBody, faults: ReadonlySet<RequestFault>): OuterBody {
  if (faults.has('byte-by-byte')) return writeByteByByte(body);
  return faults.has('one-write') ? writeAtEnd(body) : body;
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

// Injects faults into the records of a response (transport V2, section 3).
import { LENGTH_FIELD, MAX_CHUNK, RecordType, TAG_LENGTH } from '../../session/wire.ts';
import type { ResponseSealer } from '../transport/enclaveSession.ts';
import type { OuterBody, RecordWriter } from '../transport/encryptedResponse.ts';
import type { ResponseTracker } from '../transport/responseTracker.ts';
import type { RecordFault, RequestFault } from './faults.ts';

interface OutgoingRecord {
  /** 0 is the Start. */
  readonly index: number;
  readonly type: number;
  readonly content: Uint8Array;
}

/** The response that a fault changes. */
interface FaultContext {
  readonly sealer: ResponseSealer;
  readonly tracker: ResponseTracker;
  readonly send: (bytes: Uint8Array) => void;
  /** Seals and sends a record unchanged. */
  readonly sendRecord: (record: Pick<OutgoingRecord, 'type' | 'content'>) => void;
  /** Sends nothing more; with `end`, also ends the HTTP body. */
  readonly stop: (how: 'end' | 'silence') => void;
  /** A frame to send after the next one. */
  delayed: Uint8Array | undefined;
}

/** Replaces the write of one record. */
type Fault = (record: OutgoingRecord, context: FaultContext) => void;

const EXTRA_CHUNK = { type: RecordType.chunk, content: Buffer.from('extra') };

/** A fault of the record at `index` only. */
function at(index: number, fault: Fault): Fault {
  return (record, context) => {
    if (record.index === index) fault(record, context);
    else context.sendRecord(record);
  };
}

/** A fault of the End only. */
function atEnd(fault: Fault): Fault {
  return (record, context) => {
    if (record.type === RecordType.end) fault(record, context);
    else context.sendRecord(record);
  };
}

/** An Error instead of the record at `index`. */
function errorAt(index: number, code: string): Fault {
  return at(index, (_record, context) => {
    context.sendRecord({ type: RecordType.error, content: Buffer.from(JSON.stringify({ code })) });
    context.stop('end');
  });
}

const FAULTS: Readonly<Record<RecordFault, Fault>> = {
  'tampered-record': at(1, ({ type, content }, { sealer, send }) => {
    const frame = sealer.frame(type, content);
    frame[LENGTH_FIELD] = (frame[LENGTH_FIELD] ?? 0) ^ 1;
    send(frame);
  }),
  'swapped-records': ({ index, type, content }, context) => {
    const frame = context.sealer.frame(type, content);
    if (index === 1) {
      context.delayed = frame;
      return;
    }
    context.send(frame);
    if (context.delayed !== undefined) context.send(context.delayed);
    context.delayed = undefined;
  },
  'repeated-record': at(1, ({ type, content }, { sealer, send }) => {
    const frame = sealer.frame(type, content);
    send(frame);
    send(frame);
  }),
  'dropped-record': at(1, ({ type, content }, { sealer }) => {
    sealer.frame(type, content);
  }),
  'truncated-frame': at(1, ({ type, content }, { sealer, send, stop }) => {
    const frame = sealer.frame(type, content);
    send(frame.subarray(0, frame.length >> 1));
    stop('end');
  }),
  'early-end': at(2, (_record, { stop }) => {
    stop('end');
  }),
  'missing-end': atEnd((_record, { stop }) => {
    stop('end');
  }),
  'bytes-behind-end': atEnd((record, { send, sendRecord }) => {
    sendRecord(record);
    send(Uint8Array.of(0));
  }),
  'record-behind-end': atEnd((record, { sendRecord }) => {
    sendRecord(record);
    sendRecord(EXTRA_CHUNK);
  }),
  'second-start': at(1, (record, { sendRecord }) => {
    sendRecord({ type: RecordType.start, content: Buffer.from('{"status":200,"headers":[]}') });
    sendRecord(record);
  }),
  'chunk-before-start': at(0, (record, { sendRecord }) => {
    sendRecord(EXTRA_CHUNK);
    sendRecord(record);
  }),
  'no-start': at(0, () => undefined),
  'malformed-start': at(0, (_record, { sendRecord }) => {
    sendRecord({ type: RecordType.start, content: Buffer.from('{"status":200,"headers":[],"trailers":[]}') });
  }),
  'oversize-frame': at(1, (_record, { sendRecord }) => {
    sendRecord({ type: RecordType.chunk, content: new Uint8Array(MAX_CHUNK + 1) });
  }),
  'huge-frame': at(1, ({ content }, { send }) => {
    send(new Uint8Array(LENGTH_FIELD).fill(0xff));
    send(content);
  }),
  'tiny-frame': at(1, (_record, { send }) => {
    const frame = new Uint8Array(LENGTH_FIELD + TAG_LENGTH);
    frame[LENGTH_FIELD - 1] = TAG_LENGTH;
    send(frame);
  }),
  'unknown-tag': at(1, ({ content }, { sendRecord }) => {
    sendRecord({ type: 5, content });
  }),
  'end-with-content': atEnd(({ type }, { sendRecord }) => {
    sendRecord({ type, content: Uint8Array.of(0) });
  }),
  'error-record': errorAt(2, 'upstream_provider_error'),
  'error-before-start': errorAt(0, 'upstream_provider_error'),
  'malformed-error': errorAt(2, 'PROVIDER'),
  'another-request-id': at(-1, () => undefined), // requestRoute.ts passes a sealer for another request
  'reset-mid-response': at(2, (_record, { stop, tracker }) => {
    stop('silence');
    tracker.disconnect('reset');
  }),
  'close-mid-response': at(2, (_record, { stop, tracker }) => {
    stop('silence');
    tracker.disconnect('close');
  }),
  'hang-mid-response': at(2, (_record, { stop }) => {
    stop('silence');
  }),
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
  let index = 0;
  let stopped = false;
  let writable = true;
  const context: FaultContext = {
    sealer,
    tracker,
    send: (bytes) => {
      writable = body.write(bytes);
    },
    sendRecord: ({ type, content }) => {
      writable = body.write(sealer.frame(type, content));
    },
    stop: (how) => {
      stopped = true;
      tracker.markFailed();
      if (how === 'end') body.end();
    },
    delayed: undefined,
  };
  return {
    write: (type, content) => {
      if (!stopped) FAULTS[name]({ index: index++, type, content }, context);
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

// src/devEnclave: the development backend, for the demo and for tests. Never part of the extension package.
// The lies in the records of a response (transport v2, section 3). Each takes the place of an honest write.
import { LENGTH_FIELD, MAX_CHUNK, RecordType, TAG_LENGTH } from '../../session/wire.ts';
import type { ClientWatch } from '../transport/clientWatch.ts';
import type { ResponseSealer } from '../transport/enclaveSession.ts';
import type { RecordFault, RequestFault } from './faults.ts';
import type { RecordWriter, Wire } from '../transport/sealedResponse.ts';

interface OutgoingRecord {
  /** 0 is the Start. */
  readonly index: number;
  readonly tag: number;
  readonly content: Uint8Array;
}

/** What a lie has at hand. */
interface FaultContext {
  readonly sealer: ResponseSealer;
  readonly watch: ClientWatch;
  readonly send: (bytes: Uint8Array) => void;
  /** Seals and sends a record as it is. */
  readonly honest: (record: Pick<OutgoingRecord, 'tag' | 'content'>) => void;
  /** Nothing more goes out; with `end` the HTTP body ends as if all were well. */
  readonly stop: (how: 'end' | 'silence') => void;
}

/** Puts one record on the wire. Every response gets a fresh one, so it may remember. */
type Fault = (record: OutgoingRecord, liar: FaultContext) => void;

const EXTRA = { tag: RecordType.chunk, content: Buffer.from('extra') };

/** A lie about the record at `index`; the others are honest. */
function at(index: number, lie: Fault): () => Fault {
  return () => (record, liar) => {
    if (record.index === index) lie(record, liar);
    else liar.honest(record);
  };
}

/** A lie about the End; the other records are honest. */
function atEnd(lie: Fault): () => Fault {
  return () => (record, liar) => {
    if (record.tag === RecordType.end) lie(record, liar);
    else liar.honest(record);
  };
}

/** An Error in place of the record at `index`. */
function errorAt(index: number, code: string): () => Fault {
  return at(index, (_record, liar) => {
    liar.honest({ tag: RecordType.error, content: Buffer.from(JSON.stringify({ code })) });
    liar.stop('end');
  });
}

function swapRecords(): Fault {
  let held: Uint8Array | undefined;
  return (record, { sealer, send }) => {
    const frame = sealer.frame(record.tag, record.content);
    if (record.index === 1) {
      held = frame;
      return;
    }
    send(frame);
    if (held !== undefined) send(held);
    held = undefined;
  };
}

const LIES: Readonly<Record<RecordFault, () => Fault>> = {
  'tampered-record': at(1, ({ tag, content }, { sealer, send }) => {
    const frame = sealer.frame(tag, content);
    frame[LENGTH_FIELD] = (frame[LENGTH_FIELD] ?? 0) ^ 1;
    send(frame);
  }),
  'swapped-records': swapRecords,
  'repeated-record': at(1, ({ tag, content }, { sealer, send }) => {
    const frame = sealer.frame(tag, content);
    send(frame);
    send(frame);
  }),
  'dropped-record': at(1, ({ tag, content }, { sealer }) => {
    sealer.frame(tag, content);
  }),
  'truncated-frame': at(1, ({ tag, content }, { sealer, send, stop }) => {
    const frame = sealer.frame(tag, content);
    send(frame.subarray(0, frame.length >> 1));
    stop('end');
  }),
  'early-end': at(2, (_record, { stop }) => {
    stop('end');
  }),
  'missing-end': atEnd((_record, { stop }) => {
    stop('end');
  }),
  'bytes-behind-end': atEnd((record, { honest, send }) => {
    honest(record);
    send(Uint8Array.of(0));
  }),
  'record-behind-end': atEnd((record, { honest }) => {
    honest(record);
    honest(EXTRA);
  }),
  'second-start': at(1, (record, { honest }) => {
    honest({ tag: RecordType.start, content: Buffer.from('{"status":200,"headers":[]}') });
    honest(record);
  }),
  'chunk-before-start': at(0, (record, { honest }) => {
    honest(EXTRA);
    honest(record);
  }),
  'no-start': at(0, () => undefined),
  'malformed-start': at(0, (_record, { honest }) => {
    honest({ tag: RecordType.start, content: Buffer.from('{"status":200,"headers":[],"trailers":[]}') });
  }),
  'oversize-frame': at(1, (_record, { honest }) => {
    honest({ tag: RecordType.chunk, content: new Uint8Array(MAX_CHUNK + 1) });
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
  'unknown-tag': at(1, ({ content }, { honest }) => {
    honest({ tag: 5, content });
  }),
  'end-with-content': atEnd(({ tag }, { honest }) => {
    honest({ tag, content: Uint8Array.of(0) });
  }),
  'error-record': errorAt(2, 'upstream_provider_error'),
  'error-before-start': errorAt(0, 'upstream_provider_error'),
  'malformed-error': errorAt(2, 'PROVIDER'),
  'another-request-id': at(-1, () => undefined), // the sealer is the lie
  'reset-mid-response': at(2, (_record, { stop, watch }) => {
    stop('silence');
    watch.cut('reset');
  }),
  'close-mid-response': at(2, (_record, { stop, watch }) => {
    stop('silence');
    watch.cut('close');
  }),
  'hang-mid-response': at(2, (_record, { stop }) => {
    stop('silence');
  }),
};

/** The honest wire, or one that delivers strangely. */
export function deliver(wire: Wire, faults: ReadonlySet<RequestFault>): Wire {
  if (faults.has('byte-by-byte')) return { ...wire, write: (bytes) => writeEachByte(wire, bytes) };
  return faults.has('one-write') ? writeAtEnd(wire) : wire;
}

/** The record writer that tells the first lie among `faults`, or undefined if there is none. */
export function faultyRecords(
  wire: Wire,
  sealer: ResponseSealer,
  watch: ClientWatch,
  faults: ReadonlySet<RequestFault>,
): RecordWriter | undefined {
  const fault = [...faults].find((name): name is RecordFault => Object.hasOwn(LIES, name));
  if (fault === undefined) return undefined;
  const lie = LIES[fault]();
  let index = 0;
  let stopped = false;
  let room = true;
  const liar: FaultContext = {
    sealer,
    watch,
    send: (bytes) => {
      room = wire.write(bytes);
    },
    honest: ({ tag, content }) => {
      room = wire.write(sealer.frame(tag, content));
    },
    stop: (how) => {
      stopped = true;
      watch.markFailed();
      if (how === 'end') wire.end();
    },
  };
  return {
    write: (tag, content) => {
      if (!stopped) lie({ index: index++, tag, content }, liar);
      return room;
    },
    finish: () => {
      if (!stopped) wire.end();
    },
  };
}

function writeEachByte(wire: Wire, bytes: Uint8Array): boolean {
  let room = true;
  for (let offset = 0; offset < bytes.length; offset++) room = wire.write(bytes.subarray(offset, offset + 1));
  return room;
}

function writeAtEnd(wire: Wire): Wire {
  const held: Uint8Array[] = [];
  return {
    write: (bytes) => {
      held.push(bytes);
      return true;
    },
    end: () => {
      wire.write(Buffer.concat(held));
      wire.end();
    },
  };
}

import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { mock } from 'node:test';
import { PROXY_ERRORS } from '../../../../src/proxy/http/openaiErrors.ts';
import { Upload } from '../../../../src/proxy/relay/upload.ts';
import { RequestEntry } from '../../../../src/proxy/usage/requestEntry.ts';
import { BODY_LIMITS } from '../../../support/bodyLimits.ts';

const LIMIT = { max: 10, error: BODY_LIMITS.relayed.error };

/** An upload whose events are recorded as words. */
function begin(options: { readonly bodyLength?: number; readonly room?: number; readonly idleTimeout?: number } = {}) {
  const { bodyLength, room = 100, idleTimeout = 60_000 } = options;
  const req = new EventEmitter();
  const entry = new RequestEntry('POST', '/');
  const events: string[] = [];
  let kept = 0;
  const place = {
    keep: (bytes: number) => {
      kept += bytes;
      return kept <= room;
    },
  };
  const upload = new Upload(
    { req, place, entry, bodyLength, withApiKey: false, limit: LIMIT, idleTimeout },
    {
      chunk: (bytes) => events.push(bytes.toString()),
      complete: () => events.push('complete'),
      refuse: ({ status }, end) => events.push(`${status} ${end}`),
    },
  );
  upload.begin();
  return {
    upload,
    entry,
    events,
    send: (text: string) => req.emit('data', Buffer.from(text)),
    end: () => req.emit('end'),
  };
}

describe('Upload', () => {
  beforeEach(() => {
    mock.timers.enable({ apis: ['setTimeout'] });
  });

  afterEach(() => {
    mock.timers.reset();
  });

  it('passes the chunks on until the end', () => {
    const { send, end, events, entry } = begin();
    send('one');
    send('two');
    end();
    assert.deepEqual(events, ['one', 'two', 'complete']);
    assert.equal(entry.bytesIn, 6);
  });

  it('is complete with the last announced byte, once', () => {
    const { send, end, events } = begin({ bodyLength: 6 });
    send('one');
    send('two');
    assert.deepEqual(events, ['one', 'two', 'complete']);
    end();
    assert.equal(events.length, 3);
    assert.deepEqual(begin({ bodyLength: 0 }).events, ['complete']);
  });

  it('refuses what is too long, or has no room, and ignores the rest', () => {
    for (const [room, last, expected] of [
      [100, 'XX', '413 body_too_large'],
      [9, 'X', `${PROXY_ERRORS.busy.status} busy`],
    ] as const) {
      const { send, end, events } = begin({ room });
      for (const text of ['12345678', '9', last, 'more']) send(text);
      end();
      assert.deepEqual(events, ['12345678', '9', expected]);
    }
  });

  it('refuses an upload that pauses for too long', () => {
    const { events, send } = begin({ idleTimeout: 100 });
    send('one');
    mock.timers.tick(99);
    assert.deepEqual(events.splice(0), ['one']);
    mock.timers.tick(1);
    assert.deepEqual(events, ['408 upload_timeout']);
  });

  it('ignores everything after it was stopped, also the time', () => {
    const { upload, send, end, events } = begin({ idleTimeout: 1 });
    upload.stop();
    send('one');
    end();
    mock.timers.tick(60_000);
    assert.deepEqual(events, []);
  });

  it('has no timeout after it was ended', () => {
    const { upload, events, send } = begin({ idleTimeout: 1 });
    upload.endTimeout();
    mock.timers.tick(60_000);
    send('one');
    assert.deepEqual(events, ['one']);
  });
});

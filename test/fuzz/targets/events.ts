// Server-sent events: the same ones, however the stream is split; and what is written can be read.
import assert from 'node:assert/strict';
import { EventStreamReader, formatEvent } from '../../../src/dialects/eventStream.ts';
import { createTokenObserver } from '../../../src/proxy/usage/tokenObserver.ts';
import { speechEvents } from '../../support/modelSpeech.ts';
import { inChunks } from '../split.ts';
import type { FuzzTarget } from '../target.ts';

const USAGE = { input: 10, cached: 2, output: 5, reasoning: 1 };
const EVENTS = speechEvents([{ kind: 'text', text: 'Hello, wörld.' }], 'stop', USAGE);
const HEADERS = [{ name: 'content-type', value: 'text/event-stream' }];

export const target: FuzzTarget = {
  seeds: () => [
    EVENTS.map((json) => `data: ${json}\n\n`).join(''),
    EVENTS.map((json) => `id: 1\r\nevent: x\r\ndata:${json}\r\n\r\n`).join(''),
    ': ping\n\ndata: a\ndata\ndata: b\rdata:  c\r\r\n\ndata: no end',
    formatEvent('name', { text: '\n\r\u2028' }),
  ],
  run: (input) => {
    const whole = read([input]);
    const tokens = observe([input]);
    for (const chunks of inChunks(input)) {
      assert.deepEqual(read(chunks), whole);
      assert.deepEqual(observe(chunks), tokens);
    }
    const value = { text: input.toString() };
    const [event, ...others] = read([Buffer.from(formatEvent('x', value))]);
    assert.deepEqual(others, []);
    assert.deepEqual(JSON.parse(event ?? ''), value);
  },
};

function read(chunks: readonly Uint8Array[]): string[] {
  const reader = new EventStreamReader();
  return [...chunks.flatMap((chunk) => reader.push(chunk)), ...reader.end()];
}

function observe(chunks: readonly Uint8Array[]): unknown {
  const observer = createTokenObserver(HEADERS);
  for (const chunk of chunks) observer?.push(chunk);
  return [observer?.tokens, observer?.model];
}

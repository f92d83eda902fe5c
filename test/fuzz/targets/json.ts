// The readers of JSON: they find what JSON.parse finds, however the text is split.
import assert from 'node:assert/strict';
import { isUtf8 } from 'node:buffer';
import { parseExactJson } from '../../../src/dialects/exactJson.ts';
import { countValues } from '../../../src/dialects/jsonValues.ts';
import { JsonObjectEnd } from '../../../src/dialects/messages/jsonObjectEnd.ts';
import { JsonFields } from '../../../src/proxy/usage/jsonFields.ts';
import { asObject } from '../../../src/shared/json.ts';
import { CLAUDE_CODE_REQUEST } from '../../support/messagesRequests.ts';
import { jsonOf, mutate } from '../../support/mutations.ts';
import { inChunks } from '../split.ts';
import type { FuzzTarget } from '../target.ts';

const NAMES = ['model', 'usage'];
const NAME_BYTES = NAMES.map((name) => Buffer.from(name));
const MAX_VALUE = 4096;

export const target: FuzzTarget = {
  seeds: () => [
    JSON.stringify(CLAUDE_CODE_REQUEST),
    '{"model":"a","usage":{"prompt_tokens":1,"a":[{}]},"b":"\\"model\\""}',
    ' { "usage" : null , "model" : 12345678901234567891.0e-5 } ',
    '{"Model":"\\u0061","model":"b","mod\\u0065l":"c"}',
    '["\\u0091n1","\u0091t",1e400,-0,1.50]',
  ],
  mutate: (input, random) => jsonOf(mutate(parse(input), random)),
  run: (input) => {
    const text = isUtf8(input) ? input.toString() : undefined;
    const parsed = text === undefined ? undefined : parse(input);
    checkExact(input, parsed);
    for (const isStrict of [false, true]) {
      const whole = fieldsIn([input], isStrict);
      for (const chunks of inChunks(input)) assert.deepEqual(fieldsIn(chunks, isStrict), whole, 'split');
      if (asObject(parsed) !== undefined) checkFields(input, asObject(parsed) ?? {}, whole, isStrict);
    }
    if (text !== undefined && parsed !== undefined) checkEnd(text.trim(), parsed);
    if (parsed !== undefined) {
      const [estimate, count] = [countValues(input), valuesIn(parsed)];
      assert.ok(estimate >= count - 1, `${estimate} for ${count} values`);
    }
  },
};

function parse(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString());
  } catch {
    return undefined;
  }
}

function checkExact(input: Buffer, parsed: unknown): void {
  const exact = parseExactJson(input);
  if (parsed === undefined) {
    assert.equal(exact, undefined);
    return;
  }
  const written = writeDeep(exact);
  if (written !== undefined) assert.deepEqual(JSON.parse(written), parsed);
}

/** Undefined for a value that is nested too deeply to be written. */
function writeDeep(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}

function fieldsIn(chunks: readonly Uint8Array[], isStrict: boolean): (string | undefined)[] {
  const reader = new JsonFields(NAME_BYTES, isStrict);
  for (const chunk of chunks) reader.push(chunk);
  return NAMES.map((_, index) => reader.value(index));
}

/** For valid JSON; the reader does not check that. */
function checkFields(
  input: Buffer,
  parsed: Readonly<Record<string, unknown>>,
  found: readonly (string | undefined)[],
  isStrict: boolean,
): void {
  const text = input.toString();
  for (const [index, name] of NAMES.entries()) {
    const value = found[index];
    if (value !== undefined) {
      const read = JSON.parse(Buffer.from(value, 'latin1').toString()) as unknown;
      // A name with an escape comes later and wins; strictly, such a text is invalid.
      if (isStrict || !text.includes('\\u')) assert.deepEqual(read, parsed[name], name);
    } else if (!isStrict && Object.hasOwn(parsed, name)) {
      const isLong = text.length > MAX_VALUE;
      assert.ok(isLong || text.includes('\\'), `${name} is not found`);
    }
  }
}

/** The end of an object is its last character, and no earlier one. */
function checkEnd(text: string, parsed: unknown): void {
  if (asObject(parsed) === undefined) return;
  for (const chunks of inChunks(Buffer.from(text, 'utf16le'), 2)) {
    const end = new JsonObjectEnd();
    const before = chunks.map((chunk) => Buffer.from(chunk).toString('utf16le')).join('');
    end.push(before.slice(0, -1));
    assert.equal(end.isReached, false);
    end.push(before.slice(-1));
    assert.equal(end.isReached, true);
  }
  const end = new JsonObjectEnd();
  for (const unit of text.split('')) {
    assert.equal(end.isReached, false);
    end.push(unit);
  }
  assert.equal(end.isReached, true);
}

function valuesIn(root: unknown): number {
  const open = [root];
  let count = 0;
  while (open.length > 0) {
    const value = open.pop();
    count++;
    if (typeof value === 'object' && value !== null) for (const inner of Object.values(value)) open.push(inner);
  }
  return count;
}

// The writers of assistants' files: whatever a file contains, it is refused, or our entry is added, nothing else of it changes
// without being shown, and undoing restores its bytes.
import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import { parse as parseJsonc } from 'jsonc-parser';
import { getStaticTOMLValue, parseTOML } from 'toml-eslint-parser';
import { parse as parseYaml } from 'yaml';
import { EXAMPLES } from '../../support/assistantFiles.ts';
import { AssistantHome, apply } from '../../support/assistantHome.ts';
import { pick } from '../../support/mutations.ts';
import type { FuzzTarget } from '../target.ts';

const home = new AssistantHome();
const LENGTH = EXAMPLES.length;

/** The first byte chooses the assistant. */
function inputOf(index: number, text: string): Buffer {
  return Buffer.concat([Buffer.of(index), Buffer.from(text)]);
}

export const target: FuzzTarget = {
  maxLength: 8192,
  seeds: () =>
    EXAMPLES.flatMap(({ before, after, broken, others }, index) =>
      [before, after, '', ...broken.filter((text) => text.length < 1000), ...others.map(([text]) => text)].map((text) =>
        inputOf(index, text),
      ),
    ),
  mutate: (input, random) => {
    const lines = input
      .subarray(1)
      .toString()
      .split(/(?<=\n)/);
    const [from, to] = [0, 0].map(() => Math.floor(random() * (lines.length + 1)));
    const [taken = ''] = pick(random, [lines.slice(from), lines.splice(from ?? 0, 1)]);
    lines.splice(to ?? 0, 0, pick(random, [taken, taken.trim(), `\r\n${taken}`, '# x\n', '// x\n', '\ufeff']));
    return inputOf((input[0] ?? 0) % LENGTH, lines.join(''));
  },
  run: async (input) => {
    const example = EXAMPLES[(input[0] ?? 0) % LENGTH];
    if (example === undefined) return;
    const { assistant, file } = example;
    const before = input.subarray(1).toString();
    home.write(file, before);
    const plan = await assistant.plan(home.endpoint);
    if (plan.kind === 'refused') assert.match(plan.message, /^[A-Z].*\.$/s);
    if (plan.kind !== 'change') return;
    const applied = await apply(assistant, plan);
    const after = home.read(file);
    assert.equal(after, plan.after);
    const values = [before, after].map((text) => readFile(file, text));
    checkDisclosed(values[0], values[1], plan.preview.changes.join('\n'));
    const again = await assistant.plan(home.endpoint);
    assert.equal(again.kind, 'unchanged', JSON.stringify(again));
    const undone = await assistant.undo(applied);
    assert.deepEqual(undone, { kind: 'undone' });
    assert.equal(home.read(file), before);
  },
  close: () => {
    home.remove();
    return Promise.resolve();
  },
};

/** With the parsers alone. */
function readFile(file: string, text: string): unknown {
  const content = text.replace(/^\ufeff/, '');
  if (file.endsWith('.toml')) return getStaticTOMLValue(parseTOML(content));
  return file.endsWith('.yaml')
    ? (parseYaml(content, { logLevel: 'silent' }) as unknown)
    : (parseJsonc(content) as unknown);
}

/** Each value that was there is still there, or its name is in what the user was shown. */
function checkDisclosed(before: unknown, after: unknown, changes: string, name = ''): void {
  if (isDeepStrictEqual(before, after)) return;
  if (Array.isArray(before) && Array.isArray(after)) {
    const kept = before.every((item) => after.some((other) => isDeepStrictEqual(item, other)));
    assert.ok(kept || changes.includes(name), `${name} loses an item`);
  } else if (isObject(before) && isObject(after)) {
    for (const [key, value] of Object.entries(before)) checkDisclosed(value, after[key], changes, key);
  } else if (before !== undefined && before !== null) {
    assert.ok(changes.includes(name), `${name} changes, which is not shown: ${changes}`);
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

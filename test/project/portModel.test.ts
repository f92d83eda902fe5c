import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { ERRORS, PROPERTIES } from '../../conformance/port/properties.ts';
import { fromRoot } from '../support/e2e/process.ts';

const MODEL = readFileSync(fromRoot('conformance/port/port.pml'), 'utf8');
const README = readFileSync(fromRoot('conformance/port/README.md'), 'utf8');

/** The code that the steps of the model stand for: file and names. */
function references(): { path: string; name: string }[] {
  return [...MODEL.matchAll(/SRC (src\S+): (\w[\w, ]*)/g)].flatMap(([, path = '', names = '']) =>
    names
      .trim()
      .split(', ')
      .map((name) => ({ path, name })),
  );
}

/** True if the source declares a function, a method, a field, a constant, a type or a variable of this name. */
function declares(source: string, name: string): boolean {
  const keyword = String.raw`\b(?:function|class|const|let|interface|type|get)`;
  const member = String.raw`^ +(?:(?:async|readonly|static|override) )*#?`;
  const field = String.raw`${member}${name}\??(?:[(<:;]| =)`;
  return new RegExp(String.raw`${keyword} #?${name}\b|${field}|^ +(?:async )?${name}\(`, 'm').test(source);
}

describe('The model of the port', () => {
  it('names only code that exists', () => {
    const all = references();
    assert.ok(all.length > 60);
    const missing = all.filter(({ path, name }) => {
      return !existsSync(fromRoot(path)) || !declares(readFileSync(fromRoot(path), 'utf8'), name);
    });
    assert.deepEqual(missing, []);
  });

  it('has the definitions that its runs use', () => {
    for (const { defines } of PROPERTIES) {
      for (const define of defines) assert.match(MODEL, new RegExp(String.raw`\b${define.split('=')[0] ?? ''}\b`));
    }
    for (const { define, by } of ERRORS) {
      assert.match(MODEL, new RegExp(String.raw`#ifn?def ${define}\b`));
      assert.ok(PROPERTIES.some(({ name }) => name === by));
    }
  });

  it('is explained: each property and each planted error', () => {
    for (const { name } of PROPERTIES) assert.ok(README.includes(`\`${name}\``), name);
    for (const { define } of ERRORS) assert.ok(README.includes(`\`${define}\``), define);
  });
});

import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { callStack, callerIn } from '../../../../../src/extension/features/api/caller.ts';

const OWN = 'sealed-proxy.sealed-proxy';

/** What an extension of the test exports: calls the API. */
interface Calling {
  call<Result>(api: () => Result): Result;
}

describe('callerIn()', () => {
  let root: string;

  beforeEach(() => {
    root = realpathSync(mkdtempSync(join(tmpdir(), 'sealed-proxy-extensions-')));
  });
  afterEach(() => {
    rmSync(root, { recursive: true });
  });

  /** An extension on the disk, with one module. */
  const install = (id: string, folder = id) => {
    const extensionPath = join(root, folder);
    mkdirSync(extensionPath, { recursive: true });
    writeFileSync(join(extensionPath, 'main.cjs'), 'exports.call = (api) => api();');
    writeFileSync(join(extensionPath, 'main.mjs'), 'export const call = (api) => api();');
    const code = createRequire(import.meta.url)(join(extensionPath, 'main.cjs')) as Calling;
    return { extension: { id, extensionPath, packageJSON: {} }, code };
  };

  it('finds the extension whose code calls, with any kind of module', async () => {
    const one = install('test.one');
    const two = install('test.two');
    const all = [one.extension, two.extension];
    assert.equal(callerIn(two.code.call(callStack), all, OWN)?.id, 'test.two');
    assert.equal(callerIn(one.code.call(callStack), all, OWN)?.id, 'test.one');
    const url = pathToFileURL(join(two.extension.extensionPath, 'main.mjs')).href;
    const module = (await import(url)) as Calling;
    assert.equal(callerIn(module.call(callStack), all, OWN)?.id, 'test.two');
  });

  it('names the nearest of two callers, and never our own extension', () => {
    const [own, one, two] = [install(OWN), install('test.one'), install('test.two')];
    const all = [own.extension, one.extension, two.extension];
    const stack = one.code.call(() => two.code.call(() => own.code.call(callStack)));
    assert.equal(callerIn(stack, all, OWN)?.id, 'test.two');
    assert.equal(callerIn(own.code.call(callStack), all, OWN), undefined);
  });

  it('tells apart folders that begin alike, and a folder inside another', () => {
    const [short, long] = [install('test.tool'), install('test.tool-pack')];
    const inner = install('test.inner', join(OWN, 'extensions', 'inner'));
    const own = { ...inner.extension, id: OWN, extensionPath: join(root, OWN) };
    const all = [own, short.extension, long.extension, inner.extension];
    assert.equal(callerIn(long.code.call(callStack), all, OWN)?.id, 'test.tool-pack');
    assert.equal(callerIn(inner.code.call(callStack), all, OWN)?.id, 'test.inner');
  });

  it('does not know a caller that is not on the stack', () => {
    const { extension } = install('test.one');
    assert.equal(callerIn(callStack(), [extension], OWN), undefined);
    assert.equal(callerIn('', [extension], OWN), undefined);
  });
});

describe('callStack()', () => {
  it('has more frames than usual, and leaves the limit as it was', () => {
    const before = Error.stackTraceLimit;
    const nested = (depth: number): string => (depth === 0 ? callStack() : nested(depth - 1));
    assert.ok(nested(30).split('\n').length > 30);
    assert.equal(Error.stackTraceLimit, before);
  });
});

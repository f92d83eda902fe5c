import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { totalmem } from 'node:os';
import fc from 'fast-check';
import { availableMemory, limitMemory, limitTranslation } from '../../../../src/proxy/process/memory.ts';
import { RequestLimits } from '../../../../src/proxy/relay/requestLimits.ts';

const MIB = 1024 * 1024;
const GIB = 1024 * MIB;

/** In whole MiB. */
function limits(total: number, heap?: number): readonly number[] {
  const available = { total: total * MIB, heap: heap === undefined ? undefined : heap * MIB };
  const { bodies, translations, ...largest } = limitMemory(available);
  const { largestBody, largestTranslatedBody, constrainedTo = 0 } = largest;
  const all = [bodies, translations, largestBody, largestTranslatedBody, constrainedTo];
  return all.map((bytes) => Math.round(bytes / MIB));
}

describe('availableMemory()', () => {
  const real = process.constrainedMemory.bind(process);
  afterEach(() => {
    process.constrainedMemory = real;
  });

  it('is at most that of the computer, also where the system reports no limit', () => {
    for (const [reported, expected] of [
      [0, totalmem()],
      [2 ** 64, totalmem()],
      [2 ** 63 - 4096, totalmem()],
      [256 * MIB, 256 * MIB],
    ] as const) {
      process.constrainedMemory = () => reported;
      assert.equal(availableMemory().total, expected);
    }
  });

  it('contains the limit that an option of Node sets', () => {
    const run = (option: string, env: Record<string, string> = {}) => {
      const print = "import('./src/proxy/process/memory.ts').then((m) => console.log(m.availableMemory().heap))";
      const args = [...(option === '' ? [] : [option]), '-e', print];
      return Number(execFileSync(process.execPath, args, { env, encoding: 'utf8' }));
    };
    assert.ok(Number.isNaN(run('')));
    for (const heap of [run('--max-old-space-size=200'), run('', { NODE_OPTIONS: '--max_old_space_size=200' })]) {
      assert.ok(heap >= 200 * MIB && heap < 400 * MIB, String(heap));
    }
  });
});

describe('limitMemory()', () => {
  it('limits nothing more than the specification does, if there is enough memory', () => {
    const { bodies, largestBody, largestTranslatedBody, constrainedTo } = limitMemory({ total: 2 * GIB });
    assert.deepEqual(
      [bodies, largestBody, largestTranslatedBody].map((bytes) => bytes / MIB),
      [500, 50, 32],
    );
    assert.equal(constrainedTo, undefined);
  });

  it('leaves room for translations and for the process itself in a small container', () => {
    assert.deepEqual(limits(512), [123, 245, 40, 16, 512]);
    assert.deepEqual(limits(256), [37, 75, 12, 4, 256]);
    assert.deepEqual(limits(64), [16, 32, 5, 2, 64]);
  });

  it('keeps everything together within the memory', () => {
    fc.assert(
      fc.property(fc.integer({ min: 192, max: 8192 }), fc.integer({ min: 64, max: 4096 }), (total, heap) => {
        const found = limitMemory({ total: total * MIB, heap: heap * MIB });
        assert.ok(found.bodies + found.translations + 144 * MIB <= total * MIB);
        assert.ok(found.largestTranslatedBody <= found.largestBody);
        const { memory, values } = limitTranslation(found.largestTranslatedBody, found.translations);
        assert.ok(memory <= found.translations);
        assert.ok(values >= found.largestTranslatedBody / 50, `${values} values`);
      }),
    );
  });

  it('lets every caller that is alone send the largest body: it is never refused as one that does not fit now', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 4096 }), fc.integer({ min: 1, max: 64 }), (total, chunk) => {
        const { bodies, largestBody } = limitMemory({ total: total * MIB });
        for (const caller of [['key'], ['direct', 'unknown']]) {
          const place = new RequestLimits(bodies).admit(caller) ?? assert.fail('no place');
          const length = chunk * 16 * 1024;
          for (let left = largestBody; left > 0; left -= length)
            assert.ok(place.keep(Math.min(left, length)), `${left}`);
        }
      }),
    );
  });

  it('takes a smaller heap into account, as an option of Node sets it', () => {
    assert.deepEqual(limits(8192, 160), [500, 1009, 50, 4, 160]);
  });
});

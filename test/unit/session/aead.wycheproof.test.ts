import assert from 'node:assert/strict';
import { nativeAead } from '../../../src/session/aead.ts';
import type { Aead } from '../../../src/session/aead.ts';
import { aeadBySize, bestAead } from '../../../src/session/bestAead.ts';
import { SessionError } from '../../../src/session/errors.ts';
import { WasmAead } from '../../../src/session/wasmAead.ts';
import { NONCE_LENGTH } from '../../../src/session/wire.ts';
import { concatBytes, toHex } from '../../../src/shared/bytes.ts';
import { hex } from '../../support/vectors.ts';
import { assertCases, readWycheproof } from '../../support/wycheproof.ts';

const wasmAead = new WasmAead();

const IMPLEMENTATIONS: readonly (readonly [string, Aead])[] = [
  ['native', nativeAead],
  ['WebAssembly', wasmAead],
  ['by size, with the border among the cases', aeadBySize(nativeAead, wasmAead, 100)],
  ['the best of this runtime', bestAead()],
];

const ALL = readWycheproof('chacha20_poly1305', 'ivSize', 'key', 'iv', 'aad', 'msg', 'ct', 'tag');
const APPLICABLE = ALL.filter(({ ivSize }) => Number(ivSize) === 8 * NONCE_LENGTH);
const NOTHING = new Uint8Array(0);

function open(aead: Aead, { key, iv, aad, ct, tag }: (typeof ALL)[number]): string | undefined {
  try {
    return toHex(aead.open(hex(key), hex(iv), hex(aad), hex(ct + tag)));
  } catch (error) {
    assert.ok(error instanceof SessionError && error.code === 'record_authentication');
    return undefined;
  }
}

for (const [label, aead] of IMPLEMENTATIONS) {
  describe(`Aead with Wycheproof's cases, ${label}`, () => {
    const valid = APPLICABLE.filter(({ result }) => result === 'valid');
    const invalid = APPLICABLE.filter(({ result }) => result === 'invalid');

    it('opens each valid message', () => {
      assertCases(valid, 256, (test) => open(aead, test) === test.msg);
    });

    it('seals each valid message to the same bytes', () => {
      assertCases(valid, 256, ({ key, iv, aad, msg, ct, tag }) => {
        return toHex(aead.seal(hex(key), hex(iv), hex(aad), NOTHING, [hex(msg)])) === ct + tag;
      });
    });

    it('seals each valid message in two parts', () => {
      assertCases(valid, 256, ({ key, iv, aad, msg, ct, tag }) => {
        const stream = aead.sealStream(hex(key), hex(iv), hex(aad));
        const [text, half] = [hex(msg), msg.length >> 2];
        const parts = [stream.update(text.subarray(0, half)), stream.update(text.subarray(half)), stream.final()];
        return toHex(concatBytes(...parts)) === ct + tag;
      });
    });

    it('refuses each invalid message', () => {
      assertCases(invalid, 60, (test) => open(aead, test) === undefined);
    });
  });
}

describe("Aead with Wycheproof's cases", () => {
  it('leaves out nine cases, all invalid, because their nonces are not 12 bytes', () => {
    const others = ALL.filter((test) => !APPLICABLE.includes(test));
    assert.deepEqual(
      others.map(({ ivSize, result }) => `${ivSize} ${result}`),
      [0, 64, 88, 104, 112, 128, 192, 160, 256].map((bits) => `${bits} invalid`),
    );
  });
});

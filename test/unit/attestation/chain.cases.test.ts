import assert from 'node:assert/strict';
import { CHAIN_CASES } from '../../../conformance/nitro/generator/chains.ts';
import { verifyChain } from '../../../src/attestation/chain.ts';

describe('verifyChain(), with one place of a correct chain changed', () => {
  for (const { name, chain, refused } of CHAIN_CASES) {
    const [root, intermediate, leaf] = chain;
    const verify = () => verifyChain([root, intermediate], leaf);

    it(`${refused === undefined ? 'accepts' : 'refuses'} ${name}`, () => {
      if (refused === undefined) assert.equal(verify().authorities.length, 2);
      else assert.throws(verify, { name: 'AttestationError', code: refused });
    });
  }
});

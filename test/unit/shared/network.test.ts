import assert from 'node:assert/strict';
import { isNetworkReport } from '../../../src/shared/network.ts';

const ROUTE = { proxy: 'proxy.example:3128', source: 'system', authentication: 'required', schemes: ['Basic'] };
const CERTIFICATES = { bundled: 1, extra: 2, system: 3 };

describe('isNetworkReport()', () => {
  for (const report of [
    { backend: null, history: null, certificates: null },
    {
      backend: ROUTE,
      history: { ...ROUTE, proxy: '', authentication: 'none', schemes: [] },
      certificates: CERTIFICATES,
    },
    { backend: ROUTE, history: null, certificates: { ...CERTIFICATES, system: null } },
    { backend: ROUTE, history: null, certificates: { ...CERTIFICATES, system: 'failed' } },
  ]) {
    it(`accepts ${JSON.stringify(report)}`, () => {
      assert.equal(isNetworkReport(report), true);
    });
  }

  for (const report of [
    undefined,
    null,
    [],
    {},
    { backend: null, history: null },
    { backend: undefined, history: null, certificates: null },
    { backend: { ...ROUTE, proxy: 7 }, history: null, certificates: null },
    { backend: { ...ROUTE, source: 'toString' }, history: null, certificates: null },
    { backend: { ...ROUTE, authentication: 'maybe' }, history: null, certificates: null },
    { backend: { ...ROUTE, schemes: 'Basic' }, history: null, certificates: null },
    { backend: { ...ROUTE, schemes: [7] }, history: null, certificates: null },
    { backend: ROUTE, history: {}, certificates: null },
    { backend: ROUTE, history: null, certificates: { ...CERTIFICATES, bundled: '1' } },
    { backend: ROUTE, history: null, certificates: { ...CERTIFICATES, system: 'many' } },
  ]) {
    it(`refuses ${JSON.stringify(report)}`, () => {
      assert.equal(isNetworkReport(report), false);
    });
  }
});

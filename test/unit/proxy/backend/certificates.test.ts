import assert from 'node:assert/strict';
import { getCACertificates } from 'node:tls';
import { readCertificates } from '../../../../src/proxy/backend/certificates.ts';

describe('readCertificates()', () => {
  const read = (settings: Parameters<typeof readCertificates>[0]) =>
    readCertificates(settings, new AbortController().signal);

  it("leaves the choice to Node.js if nothing is added to Node.js's certificates", async () => {
    const { secureContext, report } = await read({});
    assert.equal(secureContext, undefined);
    const [bundled, extra] = [getCACertificates('bundled').length, getCACertificates('extra').length];
    assert.deepEqual(report, { bundled, extra, system: null });
  });

  it('adds those of the operating system, as many as Node.js finds there', async () => {
    const { secureContext, report } = await read({ systemCertificates: true });
    assert.equal(report.system, getCACertificates('system').length);
    assert.equal(secureContext !== undefined, report.system > 0);
  });

  it('reports a failure if the reading is ended, and uses the others', async () => {
    const { secureContext, report } = await readCertificates({ systemCertificates: true }, AbortSignal.abort());
    assert.deepEqual([secureContext, report.system], [undefined, 'failed']);
  });
});

import assert from 'node:assert/strict';
import { NETWORK_REMEDY, networkRemedy } from '../../../src/presentation/networkText.ts';

describe('networkRemedy()', () => {
  it('names a remedy for each likely cause', () => {
    for (const [code, remedy] of [
      ['proxy_authentication', /http\.proxyAuthorization/],
      ['proxy_authentication_unsupported', /only with a user name and a password/],
      ['proxy_unreachable', /connect to the network/],
      ['proxy_refused', /administrator/],
      ['proxy_unsupported', /SOCKS5/],
      ['ENOTFOUND', /name of the server cannot be resolved/],
      ['ETIMEDOUT', /firewall/],
      ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', /http\.systemCertificates/],
      ['ERR_TLS_CERT_ALTNAME_INVALID', /sign-in page/],
    ] as const) {
      assert.match(networkRemedy(code), remedy);
    }
    for (const code of [null, undefined, '', 'toString', 'ELSE']) assert.equal(networkRemedy(code), NETWORK_REMEDY);
  });
});

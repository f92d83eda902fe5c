import assert from 'node:assert/strict';
import { X509Certificate, createPrivateKey } from 'node:crypto';
import { unlinkSync, writeFileSync } from 'node:fs';
import { createTlsIdentity } from '../../../../src/devEnclave/attestation/tlsIdentity.ts';
import { periodProblem, readListenerCertificate, readTlsFiles, usesTls } from '../../../../src/proxy/hosts/tlsFiles.ts';
import { ConfigError } from '../../../../src/settings/proxyConfig.ts';
import { HOUR, TlsFolder, otherKey } from '../../../support/tlsListeners.ts';

const NOW = Date.UTC(2026, 10, 24);
const identity = createTlsIdentity(NOW);
const [leaf = '', ...issuers] = identity.cert.match(/-----BEGIN[^-]+-----[^-]+-----END[^-]+-----\n?/g) ?? [];
const legacyKey = createPrivateKey(identity.key).export({ type: 'sec1', format: 'pem' }).toString();

describe('usesTls()', () => {
  it('is true with both files, false with none, and an error with one, which names the missing one', () => {
    assert.equal(usesTls({ tlsCertificateFile: 'a', tlsKeyFile: 'b' }), true);
    assert.equal(usesTls({ tlsCertificateFile: '', tlsKeyFile: '' }), false);
    assert.throws(
      () => usesTls({ tlsCertificateFile: 'a', tlsKeyFile: '' }),
      /^ConfigError: PROXY_TLS_KEY_FILE cannot/,
    );
    assert.throws(() => usesTls({ tlsCertificateFile: '', tlsKeyFile: 'b' }), /PROXY_TLS_CERT_FILE cannot .* together/);
  });
});

describe('readTlsFiles()', () => {
  let folder: TlsFolder;

  beforeEach(() => {
    folder = new TlsFolder();
  });

  afterEach(() => {
    folder.remove();
  });

  const readFiles = (cert: string | Uint8Array, key: string | Uint8Array) => {
    writeFileSync(folder.certificate, cert);
    writeFileSync(folder.key, key);
    return readTlsFiles({ tlsCertificateFile: folder.certificate, tlsKeyFile: folder.key });
  };

  it('reads a certificate, with or without its issuers, and its key', async () => {
    const { cert, key, leaf: found } = await readFiles(identity.cert, identity.key);
    assert.equal(cert, identity.cert);
    assert.equal(key, identity.key);
    assert.equal(found.fingerprint256, new X509Certificate(leaf).fingerprint256);
    assert.equal((await readFiles(leaf, identity.key)).cert, new X509Certificate(leaf).toString());
  });

  it('reads files with both, with text between, with Windows line ends, and older forms of keys', async () => {
    const both = `subject=x\n${identity.key}\n${identity.cert}`;
    assert.equal((await readFiles(both, both)).cert, identity.cert);
    const windows = await readFiles(identity.cert.replaceAll('\n', '\r\n'), identity.key.replaceAll('\n', '\r\n'));
    assert.deepEqual([windows.cert, windows.key], [identity.cert, identity.key]);
    assert.equal((await readFiles(identity.cert, legacyKey)).key, identity.key);
  });

  it('does not occupy the process with many blocks that do not end', async () => {
    const text = '-----BEGIN CERTIFICATE-----\nA-A\n'.repeat(30_000);
    const begin = performance.now();
    await assert.rejects(readFiles(text, identity.key), /the file has no certificate in PEM/);
    const milliseconds = performance.now() - begin;
    assert.ok(milliseconds < 1000, `${milliseconds} ms`);
  });

  const rsa = `-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-256-CBC,00\n\nAAAA\n-----END RSA PRIVATE KEY-----\n`;
  const damaged = (pem: string) => pem.replace(/\n[A-Za-z0-9+/]{20}/, '\nhiddenwordhiddenword');
  for (const [what, cert, key, message] of [
    [
      'a key in place of a certificate',
      identity.key,
      identity.key,
      /CERT_FILE .*cert\.pem: this is the file of a private/,
    ],
    [
      'a certificate in place of a key',
      identity.cert,
      identity.cert,
      /KEY_FILE .*key\.pem: this is the file of a certif/,
    ],
    ['an empty certificate file', '', identity.key, /cert\.pem: the file has no certificate in PEM/],
    ['a certificate in DER', new X509Certificate(leaf).raw, identity.key, /no certificate in PEM; .*-inform der/],
    [
      'a key in DER',
      identity.cert,
      createPrivateKey(identity.key).export({ type: 'pkcs8', format: 'der' }),
      /-inform der .*; for PKCS#12: openssl pkcs12 -in FILE -nodes -out NEW_FILE$/,
    ],
    ['a damaged certificate', damaged(leaf), identity.key, /cert\.pem: certificate 1 in the file is damaged/],
    ['a damaged issuer', leaf + damaged(issuers[0] ?? ''), identity.key, /certificate 2 in the file is damaged/],
    ['a damaged key', identity.cert, damaged(identity.key), /key\.pem: the private key is damaged/],
    ['a key of another certificate', identity.cert, otherKey(), /key\.pem: the key does not belong to the certificate/],
    ['an encrypted key', identity.cert, otherKey('hiddenword'), /key\.pem: the key is encrypted .* openssl pkey -in/],
    ['an older encrypted key', identity.cert, rsa, /the key is encrypted/],
    [
      'a chain in the wrong order',
      issuers.join('') + leaf,
      identity.key,
      /certificate of the server must be the first/,
    ],
  ] as const) {
    it(`refuses ${what}, and shows nothing of the content`, async () => {
      await assert.rejects(readFiles(cert, key), (error) => {
        assert.ok(error instanceof ConfigError);
        assert.match(error.message, message);
        assert.doesNotMatch(error.message, /hiddenword|BEGIN|MI[GHI]/);
        return true;
      });
    });
  }

  it('refuses a file that does not exist, and does not show a value that is not an absolute path', async () => {
    folder.write(identity);
    unlinkSync(folder.key);
    const paths = { tlsCertificateFile: folder.certificate, tlsKeyFile: folder.key };
    await assert.rejects(readTlsFiles(paths), /KEY_FILE cannot be used: .*key\.pem: the file does not exist$/);
    await assert.rejects(
      readTlsFiles({ ...paths, tlsKeyFile: 'MIGHhiddenword' }),
      /used: no file has this path: use an absolute path, without quotes and ~$/,
    );
    const certificate = await readListenerCertificate(paths);
    assert.equal(certificate.fingerprint256, new X509Certificate(leaf).fingerprint256);
  });
});

describe('periodProblem()', () => {
  it('is a sentence before and after the period of a certificate', () => {
    const certificate = new X509Certificate(leaf);
    assert.equal(periodProblem(certificate, NOW + HOUR), undefined);
    assert.match(periodProblem(certificate, NOW + 4 * HOUR) ?? '', /expired at 2026-11-24T.* Replace its file/);
    assert.match(
      periodProblem(certificate, NOW - 4 * HOUR) ?? '',
      /is valid from 2026-11-2\S+ only, .* Check the clock/,
    );
  });
});

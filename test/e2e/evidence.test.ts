// The commands `evidence` and `verify`, as users run them.
import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CHAIN_CASES } from '../../conformance/nitro/generator/chains.ts';
import { DEVELOPMENT_PCR0 } from '../../src/devEnclave/attestation/document.ts';
import { createTlsIdentity, toPem } from '../../src/devEnclave/attestation/tlsIdentity.ts';
import type { EnclaveOptions, RunningEnclave } from '../../src/devEnclave/server.ts';
import { toBase64, toHex } from '../../src/shared/bytes.ts';
import { CHECK_IDS } from '../../src/shared/checks.ts';
import type { Evidence } from '../../src/shared/evidence.ts';
import { chatBody } from '../support/e2e/chat.ts';
import { sendRequest } from '../support/e2e/httpClient.ts';
import { fromRoot, runToEnd } from '../support/e2e/process.ts';
import { perSuite, perTest } from '../support/e2e/scope.ts';
import { openVerifiedSession } from '../support/e2e/verifiedSession.ts';
import { EVIDENCE_FOLDER, SETTING_PCR0, evidenceOf } from '../support/evidenceFixtures.ts';
import { REAL_NONCE } from '../support/realDocument.ts';

const TLS = createTlsIdentity(Date.now());
const PCR0 = toHex(DEVELOPMENT_PCR0);
const TRUSTING = fromRoot('test/support/e2e/trustingProxy.mjs');
const EXAMPLES = fileURLToPath(EVIDENCE_FOLDER);
const EXAMPLE_ROOT = join(EXAMPLES, 'root.pem');
const REAL = fromRoot('test/fixtures/nitro-attestation-2024-10-28.b64');
const STEPS = ['file_format', 'file_digest', ...CHECK_IDS, 'verified_at', 'recorded_values'];

/** The IDs of the steps with this result in the output of `verify`. */
function steps(stdout: string, result: 'pass' | 'FAIL' | 'skipped'): string[] {
  return [...stdout.matchAll(new RegExp(`^${result} +(\\w+)`, 'gm'))].map(([, id = '']) => id);
}

function folder(): string {
  return mkdtempSync(join(tmpdir(), 'sealed-proxy-evidence-'));
}

describe('sealed-proxy verify', () => {
  const scope = perSuite();
  const place = folder();
  scope.onClose(() => rm(place, { recursive: true }));

  const file = (name: string, content: string | Uint8Array) => {
    const path = join(place, name);
    writeFileSync(path, content);
    return path;
  };
  const example = (name: string) => join(EXAMPLES, `${name}.json`);
  const verify = (...args: string[]) => runToEnd(['verify', ...args]);

  it('refuses a file in which a field occurs twice, because another reader may take the other one', async () => {
    const json = readFileSync(example('pin'), 'utf8');
    for (const twice of [
      json.replace('"backend"', '"backend": "https://elsewhere.example", "backend"'),
      json.replace('"id"', '"\\u0069d" : "challenge", "id"'),
    ]) {
      assert.notEqual(twice, json);
      const { code, stdout } = await verify(file('twice.json', twice), '--root', EXAMPLE_ROOT);
      assert.deepEqual([code, steps(stdout, 'FAIL'), steps(stdout, 'pass')], [1, ['file_format'], []]);
      assert.match(stdout, /^ +a name occurs twice in an object/m);
      assert.doesNotMatch(stdout, /Evidence of/);
    }
  });

  it('quotes a path in the file only in part', async () => {
    const evidence = JSON.parse(readFileSync(example('pin'), 'utf8')) as Evidence;
    const [first, ...others] = evidence.checks;
    const checks = [{ ...first, examined: { ['a'.repeat(100_000)]: 'x' } }, ...others];
    const { code, stdout } = await verify(
      file('long.json', JSON.stringify({ ...evidence, checks })),
      '--root',
      EXAMPLE_ROOT,
    );
    assert.equal(code, 1);
    assert.ok(stdout.length < 3000, String(stdout.length));
  });

  it('refuses times that do not exist, or have another form', async () => {
    for (const at of [
      '2026-02-30T00:00:00Z',
      '2026-01-14T24:00:00Z',
      '2026-01-14T23:60:00Z',
      '2026-01-14T23:59:60Z',
      '2026-01-15T12:00:00+24:00',
      '2026-01-15T12:00:00+01:60',
      '0000-12-31T23:59:00-01:00',
      '0001-01-01T00:59:00+01:00',
      '9999-12-31T23:30:00-01:00',
      '253402300800000',
    ]) {
      const { code, stdout } = await verify(example('pin'), '--root', EXAMPLE_ROOT, '--at', at);
      assert.deepEqual([code, stdout], [2, ''], at);
    }
  });

  it('takes as root one certificate in PEM or DER, and nothing else', async () => {
    const pem = readFileSync(EXAMPLE_ROOT, 'utf8');
    const der = new X509Certificate(pem).raw;
    const [, base64 = ''] = pem.split(/-----[^-]+-----/);
    for (const [root, isAccepted] of [
      [`Its owner\n${pem}and more`, true],
      [pem.replaceAll('\n', '\r\n\t '), true],
      [der, true],
      [pem.repeat(2), false],
      [pem.replaceAll(' CERT', ' X509 CERT'), false],
      [pem.replaceAll(' CERT', ' TRUSTED CERT'), false],
      [pem.replace('-----END CERTIFICATE-----', ''), false],
      [pem.replace(base64, `${base64}!`), false],
      [base64, false],
      [Buffer.concat([der, Buffer.from([0])]), false],
      [der.subarray(0, -1), false],
      ['', false],
    ] as const) {
      const { code } = await verify(example('pin'), '--root', file('root', root));
      assert.equal(code, isAccepted ? 0 : 2, root.toString());
    }
  });

  it('refuses a key that is the point at infinity as any other malformed certificate, without a stack trace', async () => {
    const { chain, leafKey } = CHAIN_CASES.find(({ name }) => name === 'a point at infinity') ?? assert.fail();
    const [root, intermediate, leaf] = chain;
    const authority = {
      anchors: { roots: [root] },
      cabundle: [root, intermediate],
      leaf: { subject: '', der: leaf, privateKey: leafKey },
    };
    const path = file('infinity.json', JSON.stringify(evidenceOf(authority)));
    const { code, stdout, stderr } = await verify(
      path,
      '--root',
      file('infinity.pem', toPem(root)),
      '--pcr0',
      SETTING_PCR0,
    );
    assert.deepEqual([code, stderr, steps(stdout, 'FAIL')], [1, '', ['certificate_chain', 'recorded_values']]);
    assert.match(stdout, /a certificate of the enclave is malformed/);
  });

  it('ignores white space of JSON in a document in Base64, and no other', async () => {
    const base64 = readFileSync(REAL, 'utf8').trim();
    const spread = base64.replaceAll(/.{60}/g, '$& \t\r\n');
    const at = ['--at', '2024-10-28T18:54:16.206Z'];
    assert.deepEqual(steps((await verify(file('spread', spread), ...at)).stdout, 'FAIL'), []);
    for (const other of ['\f', '\v', '\u00a0', '\u001f']) {
      assert.equal((await verify(file('other', base64.replace('A', `A${other}`)), ...at)).code, 2);
    }
  });

  it('verifies the examples, says which root it trusts, and exits with 0', async () => {
    for (const [name, extra] of [
      ['pin', []],
      ['history', []],
      ['setting', ['--pcr0', SETTING_PCR0.toUpperCase()]],
    ] as const) {
      const { code, stdout, stderr } = await verify(example(name), '--root', EXAMPLE_ROOT, ...extra);
      assert.deepEqual([code, stderr], [0, ''], stdout);
      assert.deepEqual(steps(stdout, 'pass'), STEPS);
      assert.match(stdout, /^Root: .*root\.pem \(--root\), NOT that of AWS; SHA-256 [0-9a-f]{64}$/m);
      assert.match(stdout, /^Time: .* 2026-01-15T12:00:00\.080Z \(verifiedAt in the file\)$/m);
      assert.match(stdout, new RegExp(`^Image: production, approved by: ${name} \\(as the file says\\)$`, 'm'));
      assert.match(stdout, /\nVerified: all 14 steps passed\.$/);
    }
  });

  it('recognizes the root of AWS', async () => {
    const { stdout } = await verify(example('pin'), '--root', fromRoot('test/fixtures/aws-nitro-root.der'));
    assert.match(stdout, /^Root: .*aws-nitro-root\.der \(--root\), that of AWS Nitro Enclaves$/m);
  });

  it('trusts AWS alone without --root', async () => {
    const { code, stdout } = await verify(example('pin'));
    assert.equal(code, 1);
    assert.deepEqual(steps(stdout, 'FAIL'), ['trusted_root', 'recorded_values']);
    assert.match(stdout, /^Root: +AWS Nitro Enclaves$/m);
    assert.match(stdout, /\nNot verified: 3 steps passed, 2 failed, 9 skipped\.$/);
  });

  it('needs --pcr0 for an image that a setting approved', async () => {
    for (const extra of [[], ['--pcr0', 'ab'.repeat(48)]]) {
      const { code, stdout } = await verify(example('setting'), '--root', EXAMPLE_ROOT, ...extra);
      assert.equal(code, 1);
      assert.deepEqual(steps(stdout, 'FAIL'), ['image_approved']);
      assert.match(stdout, /\nA setting of the user who made the file approved the image\. .*--pcr0\.$/);
    }
  });

  it('verifies for another time, in either form', async () => {
    for (const [at, code] of [
      ['2026-01-15T16:00:00+01:00', 0],
      ['2026-01-15T15:00:01Z', 1],
      [String(Date.UTC(2026, 0, 15, 11)), 1],
    ] as const) {
      const result = await verify(example('pin'), '--root', EXAMPLE_ROOT, '--at', at);
      assert.equal(result.code, code, result.stdout);
      assert.match(result.stdout, /^Time: .*Z \(--at\)$/m);
      assert.deepEqual(steps(result.stdout, 'FAIL'), code === 0 ? [] : ['certificate_validity']);
    }
  });

  it('rejects an altered file, with the step that failed', async () => {
    const evidence = JSON.parse(readFileSync(example('history'), 'utf8')) as Evidence;
    const altered = { ...evidence, backend: 'https://elsewhere.example' };
    const { code, stdout } = await verify(file('altered.json', JSON.stringify(altered)), '--root', EXAMPLE_ROOT);
    assert.deepEqual([code, steps(stdout, 'FAIL')], [1, ['file_digest']]);
    assert.match(stdout, /\nNot verified: /);
  });

  it('checks the real document of 2024-10-28 with --at, and skips what nothing is given for', async () => {
    const binary = file('real.cbor', Buffer.from(readFileSync(REAL, 'ascii'), 'base64'));
    for (const path of [REAL, binary]) {
      const { code, stdout } = await verify(path, '--at', '2024-10-28T18:54:16.206Z');
      assert.equal(code, 1);
      assert.deepEqual(
        [steps(stdout, 'FAIL'), steps(stdout, 'skipped')],
        [[], ['challenge', 'image_approved', 'client_key']],
      );
      assert.match(stdout, /\nAll checks that could run passed\./);
    }
    for (const at of ['2024-10-28T17:54:16Z', '2024-10-28T22:48:19Z']) {
      const { code, stdout } = await verify(REAL, '--at', at);
      assert.equal(code, 1);
      assert.deepEqual(steps(stdout, 'FAIL'), ['certificate_validity']);
      assert.doesNotMatch(stdout, /All checks that could run passed/);
    }
    const challenge = await verify(REAL, '--at', '1730141656206', '--challenge', toBase64(REAL_NONCE));
    assert.deepEqual(steps(challenge.stdout, 'skipped'), ['image_approved', 'client_key']);
    const other = await verify(REAL, '--at', '1730141656206', '--challenge', 'AAAA', '--pcr0', PCR0);
    assert.deepEqual(steps(other.stdout, 'FAIL'), ['challenge']);
  });

  it('exits with 2 and a sentence for what cannot be read or used', async () => {
    const pin = example('pin');
    const two = file('two.pem', readFileSync(EXAMPLE_ROOT, 'utf8').repeat(2));
    for (const [args, sentence] of [
      [[], 'verify takes one file; see --help'],
      [[pin, pin], 'verify takes one file; see --help'],
      [[join(place, 'missing')], `${join(place, 'missing')} does not exist`],
      [[place], `${place} cannot be read (EISDIR): it is a directory`],
      [['/dev/zero'], '/dev/zero is larger than 1048576 bytes, so it cannot be what is expected'],
      [[file('empty', '')], `${join(place, 'empty')} is neither evidence of Sealed Proxy nor an attestation document`],
      [[file('list', '[]')], `${join(place, 'list')} is neither evidence of Sealed Proxy nor an attestation document`],
      [
        [file('text', 'abcd')],
        `${join(place, 'text')} is neither evidence of Sealed Proxy nor an attestation document`,
      ],
      [[REAL], 'an attestation document does not say when it was verified: name the time with --at'],
      [[pin, '--challenge', 'AAAA'], '--challenge is for an attestation document; evidence contains its challenge'],
      [[pin, '--challenge', 'AAA'], '--challenge takes Base64 with padding'],
      [[pin, '--at', 'noon'], '--at takes a time such as 2026-01-15T12:00:00Z, or milliseconds since 1970'],
      [
        [pin, '--at', '2026-01-15T12:00:00'],
        '--at takes a time such as 2026-01-15T12:00:00Z, or milliseconds since 1970',
      ],
      [[pin, '--pcr0', 'ab'], '--pcr0 takes a PCR0, which has 96 hex digits'],
      [[pin, '--root', pin], `${pin} is not one certificate in PEM or DER, with a key on P-384`],
      [[pin, '--root', two], `${two} is not one certificate in PEM or DER, with a key on P-384`],
      [[pin, '--root', join(place, 'no')], `${join(place, 'no')} does not exist`],
      [[pin, '--trust-me'], "Unknown option '--trust-me'; see --help"],
    ] as const) {
      const result = await verify(...args);
      assert.deepEqual(result, { code: 2, stdout: '', stderr: `sealed-proxy: ${sentence}` });
    }
  });

  it('obeys nothing that a file contains', async () => {
    const evidence = JSON.parse(readFileSync(example('pin'), 'utf8')) as Evidence;
    const hostile = file(
      'hostile.json',
      JSON.stringify({ ...evidence, [`\u001b[2J\u202e\u0007${'x'.repeat(9000)}`]: 1 }),
    );
    const { code, stdout } = await verify(hostile, '--root', EXAMPLE_ROOT);
    assert.equal(code, 1);
    assert.match(stdout, /the field \?\[2J\?\?x{44} is missing, unknown or not in the required form/);
  });
});

describe('sealed-proxy evidence', () => {
  const scope = perTest();

  const start = (options: EnclaveOptions = {}) =>
    scope.enclave({ tls: TLS, signed: { moduleId: 'i-1-enc2' }, ...options });

  /** A folder with the certificates of the enclave, and an environment for a proxy that trusts them. */
  const equip = (enclave: RunningEnclave) => {
    const place = folder();
    scope.onClose(() => rm(place, { recursive: true }));
    const [ca, roots] = [join(place, 'ca.pem'), join(place, 'roots.json')];
    writeFileSync(ca, TLS.ca);
    writeFileSync(roots, JSON.stringify(enclave.anchors.roots.map(toBase64)));
    const env = {
      PROXY_BACKEND_URL: enclave.url,
      PROXY_ADDITIONAL_PCR0: PCR0,
      NODE_EXTRA_CA_CERTS: ca,
      TRUSTED_ROOTS: roots,
    };
    const [root] = enclave.anchors.roots;
    const rootFile = join(place, 'root.pem');
    writeFileSync(rootFile, toPem(root ?? assert.fail()));
    return { env, rootFile, path: join(place, 'evidence.json') };
  };

  it('writes a file that verify accepts, and needs no API key', async () => {
    const enclave = await start();
    const { env, rootFile, path } = equip(enclave);
    const { code, stdout, stderr } = await runToEnd(['evidence', path], env, { script: TRUSTING });
    assert.deepEqual([code, stdout, stderr], [0, `Every check passed. The evidence is in ${path}`, '']);
    const verified = await runToEnd(['verify', path, '--root', rootFile, '--pcr0', PCR0]);
    assert.deepEqual([verified.code, steps(verified.stdout, 'pass')], [0, STEPS], verified.stdout);
    assert.deepEqual([enclave.journal.handshakes, enclave.journal.requests.length], [1, 0]);
  });

  it('writes to standard output without a file', async () => {
    const { env } = equip(await start());
    const { code, stdout } = await runToEnd(['evidence'], env, { script: TRUSTING });
    assert.equal(code, 0);
    assert.equal((JSON.parse(stdout) as Evidence).backend, env.PROXY_BACKEND_URL);
  });

  it('never overwrites a file, and does not contact the backend for one that it cannot write', async () => {
    const enclave = await start();
    const { env, rootFile, path } = equip(enclave);
    const before = readFileSync(rootFile);
    for (const [target, sentence] of [
      [rootFile, `${rootFile} exists already: name another file, or delete this one`],
      [join(path, 'x'), `${join(path, 'x')} cannot be written (ENOENT): name another file`],
    ] as const) {
      const result = await runToEnd(['evidence', target], env, { script: TRUSTING });
      assert.deepEqual(result, { code: 2, stdout: '', stderr: `sealed-proxy: ${sentence}` });
    }
    assert.deepEqual(readFileSync(rootFile), before);
    assert.equal(enclave.journal.handshakes, 0);
  });

  for (const [fault, step] of [
    ['expired-certificate', 'certificate_validity'],
    ['unsigned-document', 'document_format'],
  ] as const) {
    it(`still writes the evidence of an enclave that is refused, with the check that failed: ${fault}`, async () => {
      const { env, rootFile, path } = equip(await start({ faults: fault }));
      const { code, stdout, stderr } = await runToEnd(['evidence', path], env, { script: TRUSTING });
      assert.deepEqual([code, stdout], [1, '']);
      assert.match(stderr, /^sealed-proxy: the enclave was refused, and the evidence shows the check that failed: /);
      const { checks } = JSON.parse(readFileSync(path, 'utf8')) as Evidence;
      assert.equal(checks.find(({ result }) => result === 'fail')?.id, step);
      const verified = await runToEnd(['verify', path, '--root', rootFile, '--pcr0', PCR0]);
      assert.equal(verified.code, 1);
      assert.ok(steps(verified.stdout, 'FAIL').includes('recorded_values'));
    });
  }

  it('is refused by the released proxy, which trusts AWS alone', async () => {
    const { env, path } = equip(await start());
    const { code } = await runToEnd(['evidence', path], env);
    assert.equal(code, 1);
    const { checks } = JSON.parse(readFileSync(path, 'utf8')) as Evidence;
    assert.equal(checks.find(({ result }) => result === 'fail')?.id, 'trusted_root');
  });

  it('leaves no file and says why if there was no attestation', async () => {
    const enclave = await start({ faults: 'wrong-session-id' });
    const { env, path } = equip(enclave);
    const mismatch = await runToEnd(['evidence', path], env, { script: TRUSTING });
    assert.equal(mismatch.code, 1);
    assert.match(mismatch.stderr, /^sealed-proxy: there is no evidence, because no session was made: The session id/);
    await enclave.close();
    const { code, stderr } = await runToEnd(['evidence', path], env, { script: TRUSTING });
    assert.equal(code, 1);
    assert.match(
      stderr,
      /there is no evidence, because no session was made: .*ECONNREFUSED: check the URL of the backend, and whether it runs$/,
    );
    assert.ok(!existsSync(path));
  });

  it('says that a development backend is not attested, and refuses wrong settings and arguments', async () => {
    const enclave = await scope.enclave();
    for (const [args, env, sentence] of [
      [
        [],
        { PROXY_BACKEND_URL: enclave.url },
        /^sealed-proxy: PROXY_BACKEND_URL is a development backend .* not attested/,
      ],
      [[], { PROXY_BACKEND_URL: 'x' }, /^sealed-proxy: PROXY_BACKEND_URL=x cannot be used/],
      [[], { HTTPS_PROXY: 'x' }, /^sealed-proxy: HTTPS_PROXY=x cannot be used/],
      [['a', 'b'], {}, /^sealed-proxy: evidence takes one argument at most/],
      [['--at'], {}, /^sealed-proxy: evidence takes one argument at most/],
    ] as const) {
      const { code, stdout, stderr } = await runToEnd(['evidence', ...args], env);
      assert.deepEqual([code, stdout], [2, '']);
      assert.match(stderr, sentence);
    }
  });
});

describe('The evidence of a running proxy', () => {
  const scope = perTest();

  it('is that of its live session, which the command line verifies', async () => {
    const place = folder();
    scope.onClose(() => rm(place, { recursive: true }));
    const { enclave, proxy, connection } = await openVerifiedSession(scope);
    const evidence = await connection.evidence();
    assert.deepEqual(await connection.evidence(), evidence);
    assert.equal(evidence?.backend, enclave.url);
    const [path, root] = [join(place, 'evidence.json'), join(place, 'root.der')];
    writeFileSync(path, JSON.stringify(evidence));
    writeFileSync(root, enclave.anchors.roots[0] ?? assert.fail());
    const { code, stdout } = await runToEnd(['verify', path, '--root', root, '--pcr0', PCR0]);
    assert.equal(code, 0, stdout);

    // A refused handshake replaces the evidence once the session is lost.
    enclave.setFaults('wrong-nonce');
    enclave.dropSessions();
    assert.equal((await sendRequest(proxy.url, { body: chatBody('Hello') })).status, 502);
    const refused = await connection.evidence();
    assert.equal(refused?.checks.find(({ result }) => result === 'fail')?.id, 'challenge');
  });
});

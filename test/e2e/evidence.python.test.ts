// The verifier in test/evidence was written from docs/evidence.md alone. It and the product must find the same.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { encode } from 'cborg';
import { CHAIN_CASES } from '../../conformance/nitro/generator/chains.ts';
import { Implementation, readSuite } from '../../conformance/nitro/suite.ts';
import { parseSignedEnvelope } from '../../src/attestation/cose.ts';
import { canonicalJson, digestOf } from '../../src/attestation/evidence.ts';
import { AWS_NITRO_ROOT } from '../../src/attestation/trust.ts';
import { isVerified, verifyBareDocument, verifyEvidence } from '../../src/attestation/verifyEvidence.ts';
import type { Step, VerifierTrust } from '../../src/attestation/verifyEvidence.ts';
import { toPem } from '../../src/devEnclave/attestation/tlsIdentity.ts';
import { toBase64 } from '../../src/shared/bytes.ts';
import { findFormatError } from '../../src/shared/evidence.ts';
import type { Evidence } from '../../src/shared/evidence.ts';
import { alterationsOf } from '../support/alterations.ts';
import { PROXY, environment, fromRoot } from '../support/e2e/process.ts';
import { perSuite } from '../support/e2e/scope.ts';
import { openVerifiedSession } from '../support/e2e/verifiedSession.ts';
import { EVIDENCE_FOLDER, EVIDENCE_TIME, SETTING_PCR0, evidenceOf, readRoot } from '../support/evidenceFixtures.ts';
import { MUTATION_ROOT, mutatedDocuments, mutatedEvidence } from '../support/evidenceMutations.ts';
import { REAL_DOCUMENT, REAL_NONCE, REAL_TIME } from '../support/realDocument.ts';

const HOUR = 3_600_000;
const VERIFY_BATCH = fromRoot('test/support/e2e/verifyBatch.ts');
const VERIFIER = fromRoot('test/evidence/verify_evidence.py');
const ROOT = fileURLToPath(new URL('root.pem', EVIDENCE_FOLDER));
const EXAMPLES = readdirSync(EVIDENCE_FOLDER).filter((name) => name.endsWith('.json'));

/** Values of fields that have only a few. */
const CHOICES = [
  { environment: 'development' },
  ...[null, { by: 'pin' }, { by: 'setting' }].map((approval) => ({ approval })),
  { serverPublicKey: null },
  { pcr0: null },
] as const;
/** What is verified: evidence as it is, with another version or backend, and with its own digest instead of a changed one. */
const UNNOTICED = 4;

/** Entries of a map with the key "x", in hex: the value in each form of CBOR. Then other keys. */
const ENTRIES = `
  00 1818 1817 190100 1900ff 1bffffffffffffffff 20 3bffffffffffffffff 3817 40 5800 5f40ff 60 61ff 62c3a9 63eda080 63efbbbf
  63efbfbd 7f60ff f4 f5 f6 f7 f0 f820 f93c00 fa3f800000 fb3ff0000000000000 f97e00 c000 d81800 80 a0 9fff bfff 818181818180
  81818181818180 8181818181818180 a20000613000 a200000000 a2000100f9000000 a1f400 a1410000 a2f6006000 bf00ff bf0000ff ff 9f 1c
  9b00000000ffffffff`
  .trim()
  .split(/\s+/)
  .map((value) => `6178${value}`)
  .concat('0000', 'f400', '410000', '66646967657374f6', '69efbbbf6e6f6e63656600', '606a');

interface Case {
  readonly name: string;
  readonly file: string | Uint8Array;
  /** What the product finds. */
  readonly verify: () => readonly Step[];
}

interface Report {
  readonly steps: readonly Pick<Step, 'id' | 'result'>[];
  readonly verified: boolean;
  /** Why the file is neither evidence nor a document, or cannot be used. */
  readonly error?: string;
}

/** What the command did with a file. */
interface CommandResult {
  readonly code: number | null;
  readonly stdout: string;
}

/** The exit code, and each step with its result. */
type Summary = readonly [code: number | null, steps: readonly string[]];

function summaryOf({ code, stdout }: CommandResult): Summary {
  return [
    code,
    [...stdout.matchAll(/^(pass|FAIL|skipped) +(\w+)/gm)].map(([, result = '', id = '']) => `${result} ${id}`),
  ];
}

/** What the command must do if it agrees with a report. */
function expectedOf({ steps, verified, error }: Report): Summary {
  const code = error === undefined ? Number(!verified) : 2;
  return [code, steps.map(({ id, result }) => `${result === 'fail' ? 'FAIL' : result} ${id}`)];
}

describe('The independent verifier in Python', function () {
  const scope = perSuite();
  const folder = mkdtempSync(join(tmpdir(), 'sealed-proxy-python-'));
  scope.onClose(() => rm(folder, { recursive: true }));

  let python = '';

  before('install its packages', function () {
    const installed = spawnSync(process.execPath, [fromRoot('scripts/python.mjs')], { encoding: 'utf8' });
    assert.equal(installed.status, 0, installed.stderr);
    python = installed.stdout.trim().split('\n').at(-1) ?? '';
  });

  /** Verifies the files in one process. */
  const startPython = (files: readonly string[], args: readonly string[]) => {
    const [list, output] = [join(folder, 'list'), join(folder, 'output')];
    writeFileSync(list, `${files.join('\n')}\n`);
    const [stdin, stdout] = [openSync(list, 'r'), openSync(output, 'w')];
    const child = spawn(python, ['-B', VERIFIER, '--batch', ...args], {
      env: environment(),
      stdio: [stdin, stdout, 'inherit'],
    });
    const exit = once(child, 'exit');
    closeSync(stdin);
    closeSync(stdout);
    return async () => {
      await exit;
      const lines = readFileSync(output, 'utf8').trim().split('\n');
      return lines.map((line) => JSON.parse(line) as Report);
    };
  };

  /** Compares each step of both verifiers, and returns how many files they verify. */
  const compare = async (cases: readonly Case[], args: readonly string[]): Promise<number> => {
    const files = cases.map(({ file }, index) => {
      const path = join(folder, `case-${index}`);
      writeFileSync(path, file);
      return path;
    });
    const finished = startPython(files, args);
    const expected = cases.map(({ verify }) => verify());
    const found = await finished();
    assert.equal(found.length, cases.length);
    const differing = cases.flatMap(({ name }, index) => {
      const [own, other] = [expected[index] ?? [], found[index] ?? assert.fail()];
      const same = own.length === other.steps.length && isVerified(own) === other.verified;
      const steps = own.filter(({ id, result }, at) => other.steps[at]?.id !== id || other.steps[at].result !== result);
      return same && steps.length === 0 ? [] : [`${name}: ${JSON.stringify(steps)} ${JSON.stringify(other)}`];
    });
    assert.deepEqual(differing, []);
    return found.filter(({ verified }) => verified).length;
  };

  const caseOf = (name: string, value: unknown, trust: VerifierTrust): Case => {
    return { name, file: JSON.stringify(value), verify: () => verifyEvidence(value, trust) };
  };

  /** The evidence itself; each altered field, with the old and the fitting digest; flipped bits in a document that was accepted. */
  const casesOf = (name: string, evidence: Evidence, trust: VerifierTrust): Case[] => {
    const document = Buffer.from(evidence.attestationDocument, 'base64');
    const isAccepted = evidence.checks.every(({ result }) => result === 'pass');
    const flipped = Array.from({ length: isAccepted ? Math.ceil(document.length / 41) : 0 }, (_, index) => {
      const altered = Buffer.from(document);
      const at = index * 41;
      altered.writeUInt8(altered.readUInt8(at) ^ (1 << (at % 8)), at);
      return {
        name: `flipped a bit of byte ${at}`,
        value: { ...evidence, attestationDocument: altered.toString('base64') },
      };
    });
    const choices = CHOICES.map((choice) => ({ name: JSON.stringify(choice), value: { ...evidence, ...choice } }));
    const changing = choices.filter(({ value }) => canonicalJson(value) !== canonicalJson(evidence));
    const altered = [...changing, ...alterationsOf(evidence)];
    const forged = [...altered, ...flipped]
      .filter(({ value }) => findFormatError(value) === undefined)
      .map(({ name: what, value }) => {
        const changed = value as Evidence;
        return { name: `${what}, with its digest`, value: { ...changed, digest: digestOf(changed) } };
      });
    return [{ name: 'unchanged', value: evidence }, ...altered, ...forged].map(({ name: what, value }) =>
      caseOf(`${name}: ${what}`, value, trust),
    );
  };

  it('passes the conformance suite for Nitro attestation, with the same codes', () => {
    const runner = fromRoot('conformance/nitro/runners/python.py');
    const differing = new Implementation([python, '-B', runner])
      .results(readSuite())
      .filter(({ outcome }) => outcome !== 'pass');
    assert.deepEqual(
      differing.map(({ one, output }) => [one.id, output]),
      [],
    );
  });

  it('finds the same in every example, with each field altered', async () => {
    const trust = { anchors: { roots: [readRoot()] }, additionalPcr0: [SETTING_PCR0] };
    const cases = EXAMPLES.flatMap((name) => {
      const evidence = JSON.parse(readFileSync(new URL(name, EVIDENCE_FOLDER), 'utf8')) as Evidence;
      return casesOf(name, evidence, trust);
    });
    assert.ok(cases.length > 3000, String(cases.length));
    const verified = await compare(cases, ['--root', ROOT, '--pcr0', SETTING_PCR0]);
    // Three examples and the changes to each that are not noticed, and the environment of a setting.
    assert.equal(verified, 3 * UNNOTICED + 1);
  });

  it('finds the same in the evidence of a live session, with each field altered', async () => {
    const { enclave, connection } = await openVerifiedSession(scope);
    const evidence = (await connection.evidence()) ?? assert.fail();
    const root = join(folder, 'root.pem');
    writeFileSync(root, toPem(enclave.anchors.roots[0] ?? assert.fail()));
    const cases = casesOf('live', evidence, { anchors: enclave.anchors, additionalPcr0: [SETTING_PCR0] });
    assert.equal(await compare(cases, ['--root', root, '--pcr0', SETTING_PCR0]), UNNOTICED + 1);
  });

  for (const [what, at, args, challenge] of [
    ['at its time', REAL_TIME, [], undefined],
    ['with its challenge, and with altered bits', REAL_TIME, ['--challenge', toBase64(REAL_NONCE)], REAL_NONCE],
    ['an hour earlier', REAL_TIME - HOUR, [], undefined],
    ['four hours later', REAL_TIME + 4 * HOUR, [], undefined],
  ] as const) {
    it(`finds the same in the real document of 2024-10-28: ${what}`, async () => {
      const trust = { anchors: AWS_NITRO_ROOT, additionalPcr0: [] };
      const verify = (document: Uint8Array) => () => verifyBareDocument({ document, challenge }, trust, at);
      const altered = Array.from({ length: Math.ceil((REAL_DOCUMENT.length - 1) / 29) }, (_, index) => {
        const place = index * 29 + 1; // not the first byte, which tells a document from other files
        const file = REAL_DOCUMENT.map((byte, where) => (where === place ? byte ^ (1 << (place % 8)) : byte));
        return { name: `flipped a bit of byte ${place}`, file, verify: verify(file) };
      });
      const file = toBase64(REAL_DOCUMENT).replaceAll(/.{64}/g, '$&\n');
      const cases = [{ name: 'unchanged', file, verify: verify(REAL_DOCUMENT) }, ...(challenge ? altered : [])];
      assert.equal(await compare(cases, ['--at', new Date(at).toISOString(), ...args]), 0);
    });
  }

  it('finds the same in chains that differ from a correct one in one place', async () => {
    const roots = new Map(CHAIN_CASES.map(({ chain }) => [toBase64(chain[0]), chain[0]]));
    for (const [index, root] of [...roots.values()].entries()) {
      const file = join(folder, `cases-${index}.pem`);
      writeFileSync(file, toPem(root));
      const same = CHAIN_CASES.filter(({ chain }) => Buffer.from(chain[0]).equals(root));
      if (index > 0 && same.every(({ refused }) => refused === 'malformed_certificate')) continue; // not accepted as --root
      const cases = same.map(({ name, chain, leafKey }) => {
        const authority = {
          anchors: { roots: [root] },
          cabundle: chain.slice(0, 2),
          leaf: { subject: name, der: chain[2], privateKey: leafKey },
        };
        return caseOf(name, evidenceOf(authority), { anchors: authority.anchors, additionalPcr0: [SETTING_PCR0] });
      });
      const accepted = same.filter(({ refused }) => refused === undefined);
      assert.equal(await compare(cases, ['--root', file, '--pcr0', SETTING_PCR0]), accepted.length);
    }
  });

  for (const [what, files, args] of [
    ['evidence', mutatedEvidence(1, 400), []],
    ['documents', mutatedDocuments(2, 200), ['--at', new Date(EVIDENCE_TIME).toISOString()]],
  ] as const) {
    it(`finds the same as the command in seeded mutations of ${what}, which never crash it`, async () => {
      const root = join(folder, `mutations-${what}.pem`);
      writeFileSync(root, toPem(MUTATION_ROOT));
      const paths = files.map(({ file }, index) => {
        const path = join(folder, `mutation-${what}-${index}`);
        writeFileSync(path, file);
        return path;
      });
      const options = ['--root', root, '--pcr0', SETTING_PCR0, ...args];
      const finished = startPython(paths, options);
      const { stdout, stderr, status } = spawnSync(process.execPath, [VERIFY_BATCH, ...options], {
        input: paths.join('\n'),
        encoding: 'utf8',
        maxBuffer: 1e8,
      });
      assert.equal(status, 0, stderr);
      const own = stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as CommandResult);
      const other = await finished();
      assert.deepEqual([own.length, other.length], [files.length, files.length]);
      const differing = files.flatMap(({ name }, index) => {
        const [command, report] = [own[index] ?? assert.fail(), other[index] ?? assert.fail()];
        return isDeepStrictEqual(summaryOf(command), expectedOf(report)) ? [] : [{ name, command, report }];
      });
      assert.deepEqual(differing, []);
      // Neither all are refused by the first step, nor all in one way.
      const failed = new Set(own.map((command) => /^FAIL +(\w+)/m.exec(command.stdout)?.[1]));
      assert.ok(failed.size > 3 && own.some(({ code }) => code !== 1), [...failed].join());
    });
  }

  it('finds the same in documents with an additional entry of every form of CBOR', async () => {
    const { protectedHeader, unprotectedHeader, payload, signature } = parseSignedEnvelope(REAL_DOCUMENT);
    const cases = ENTRIES.map((entry) => {
      // One more entry in the map: its first byte counts them.
      const parts = [[(payload[0] ?? 0) + 1], Buffer.from(entry, 'hex'), payload.subarray(1)];
      const changed = Buffer.concat(parts.map((part) => Buffer.from(part)));
      const file = encode([protectedHeader, unprotectedHeader, new Uint8Array(changed), signature]);
      const trust = { anchors: AWS_NITRO_ROOT, additionalPcr0: [] };
      return {
        name: entry,
        file,
        verify: () => verifyBareDocument({ document: file, challenge: undefined }, trust, REAL_TIME),
      };
    });
    const read = cases.filter(({ verify }) => verify()[0]?.result === 'pass').length;
    assert.ok(read > 10 && read < cases.length - 10, String(read));
    assert.equal(await compare(cases, ['--at', new Date(REAL_TIME).toISOString()]), 0);
  });

  it('accepts the same options as the command', () => {
    const [pin, pem] = ['pin.json', 'root.pem'].map((name) => fileURLToPath(new URL(name, EVIDENCE_FOLDER))) as [
      string,
      string,
    ];
    const text = readFileSync(pem, 'utf8');
    const rootOf = (name: string, content: string | Uint8Array) => {
      const path = join(folder, name);
      writeFileSync(path, content);
      return ['--root', path];
    };
    const times = [
      ...['2026-01-15T12:00Z', '2026-01-15T12:00:00.5Z', '2026-01-15T12:00:00,5Z', '2026-01-15', '20260115T120000Z'],
      ...['2026-01-15T12:00+23:59', '2026-01-15T12:00+24:00', '2026-01-15T12:00+01:60', '2026-01-14T24:00:00Z'],
      ...['2026-02-29T00:00Z', '0001-01-01T00:59+01:00', '9999-12-31T23:30-01:00', '253402300800000'],
    ];
    const options = [
      ...times.map((at) => ['--root', pem, `--at=${at}`]),
      rootOf('around.pem', `Its owner\n${text}and more -----\n`),
      rootOf('twice.pem', text.repeat(2)),
      rootOf('spaces.pem', text.replaceAll('\n', ' \t\r\n')),
      rootOf('other.pem', text.replaceAll(' CERT', ' TRUSTED CERT')),
      rootOf('end.pem', text.replace('-----END', '-----ENDE')),
      rootOf('longer.der', Buffer.concat([readRoot(), Buffer.from([0])])),
      ['--root', pem, '--challenge', 'AAAA'],
      ...['AB'.repeat(47), 'AB'.repeat(48), ` ${'ab'.repeat(48)}`, `${'ab'.repeat(48)}\u00a0`].map((pcr0) => [
        ...['--root', pem, '--pcr0'],
        pcr0,
      ]),
    ];
    const differing = options.flatMap((args) => {
      const [own, other] = [
        spawnSync(process.execPath, [PROXY, 'verify', pin, ...args]),
        spawnSync(python, ['-B', VERIFIER, pin, ...args]),
      ];
      return own.status === other.status ? [] : [[...args, own.status, other.status]];
    });
    assert.deepEqual(differing, []);
  });

  it('tells evidence, documents and other files apart, and is as strict, as the command', async () => {
    const [pin, history] = ['pin', 'history'].map((name) =>
      readFileSync(new URL(`${name}.json`, EVIDENCE_FOLDER), 'utf8'),
    ) as [string, string];
    const files = [
      pin,
      pin.replace('{', '{ "format": "sealed-proxy-evidence",'),
      pin.replace('"formatVersion": 1', '"formatVersion": 1.0'),
      pin.replace('"formatVersion": 1', '"formatVersion": 1e0'),
      pin.replace('"formatVersion": 1', '"formatVersion": NaN'),
      pin.replace('"formatVersion": 1', '"formatVersion": -0'),
      pin.replace('"formatVersion": 1', `"formatVersion": ${'1'.repeat(9000)}`),
      history.replace(/"timestamp": \d+/, '"timestamp": -0'),
      history.replace(/"timestamp": \d+/, '"timestamp": 9007199254740993'),
      history.replace(/"timestamp": \d+/, '"timestamp": 01'),
      pin.replace(/T\d\d:\d\d:\d\d/, 'T24:00:00'),
      pin.replace('"sealed-proxy-evidence"', '"sealed\\u002dproxy-evidence"'),
      pin.replace('"sha256": "', '"sha256": "\\ud800'),
      pin.replace('"sha256": "', '"é": "x", "sha256": "'),
      pin.replace('}', ''),
      `\ufeff${pin}`,
      ` \n\t${pin} `,
      Buffer.concat([Buffer.from(pin), Buffer.from([0xff])]),
      JSON.stringify(JSON.parse(pin)),
      '{}',
      '{"a":'.repeat(50_000) + '1' + '}'.repeat(50_000),
      '{"a":'.repeat(2000),
      ...['1,]', '1 2]', 'é]', '"\t"]', '"\\u12g4"]', '.5]', '{}]', '[]}'].map(
        (end) => `{"a": ${'[0, true, "x\\n", -1.5e3,'.repeat(2000)}${end}${']'.repeat(1999)}}`,
      ),
      `[${pin}]`,
      '',
      'abcd',
      toBase64(REAL_DOCUMENT),
      ...[' ', '\t', '\r', '\n', '\f', '\v', '\u00a0', '\u001f'].map((space) => `${space}${toBase64(REAL_DOCUMENT)}`),
      `{"format":"${'x'.repeat(1_048_576)}"}`,
    ].map((file, index) => {
      const path = join(folder, `odd-${index}`);
      writeFileSync(path, file);
      return path;
    });
    const args = ['--root', ROOT, '--at', '2026-01-15T13:00:00Z'];
    const found = await startPython(files, args)();
    for (const [index, path] of files.entries()) {
      const { status, stdout } = spawnSync(process.execPath, [PROXY, 'verify', path, ...args], { encoding: 'utf8' });
      const report = found[index] ?? assert.fail();
      assert.deepEqual(summaryOf({ code: status, stdout }), expectedOf(report), path);
    }
    assert.equal(found.filter(({ verified }) => verified).length, 4);
  });
});

// What the workflows may do, and what they run.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { VERSION } from '../../src/shared/version.ts';
import { fromRoot } from '../support/e2e/process.ts';

interface Workflow {
  readonly permissions: object;
  readonly jobs: Readonly<Record<string, { readonly uses?: string; readonly permissions?: object }>>;
}

const FOLDER = '.github/workflows';
const read = (path: string) => readFileSync(fromRoot(path), 'utf8');
const WORKFLOWS = readdirSync(fromRoot(FOLDER)).map((name) => [name, read(`${FOLDER}/${name}`)] as const);

describe('The workflows', () => {
  for (const [name, text] of WORKFLOWS) {
    it(`use only actions that are pinned by commit, each with its version: ${name}`, () => {
      for (const [line, action] of text.matchAll(/\buses: (.+)$/gm)) {
        if (action?.startsWith('./') === true) continue;
        assert.match(line, /uses: actions\/[a-z-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
      }
    });

    it(`have no stored secret, and may at most read unless a job says otherwise: ${name}`, () => {
      const { permissions } = parse(text) as Workflow;
      assert.doesNotMatch(text, /secrets\./);
      assert.ok(Object.values(permissions).every((value) => value === 'read'));
    });
  }

  it('pin the same commit everywhere', () => {
    const pins = WORKFLOWS.flatMap(([, text]) => [...text.matchAll(/uses: (actions\/[a-z-]+)@(.*)$/gm)]);
    const found = new Map(pins.map(([, action, pin]) => [action, pin]));
    for (const [, action, pin] of pins) assert.equal(pin, found.get(action));
  });

  it('sign only in the workflow that builds', () => {
    for (const [name, text] of WORKFLOWS) {
      assert.equal(/actions\/attest@/.test(text), name === 'build.yml', name);
      if (name !== 'release.yml') continue;
      const { jobs } = parse(text) as Workflow;
      for (const { uses, permissions = {} } of Object.values(jobs)) {
        if (uses === undefined) assert.ok(!('attestations' in permissions));
      }
    }
  });

  it('publish with the same version of vsce that packs, and with exact versions', () => {
    const { dependencies } = JSON.parse(read('.github/publish/package.json')) as {
      dependencies: Record<string, string>;
    };
    const lock = JSON.parse(read('package-lock.json')) as { packages: Record<string, { version: string }> };
    assert.equal(dependencies['@vscode/vsce'], lock.packages['node_modules/@vscode/vsce']?.version);
    for (const version of Object.values(dependencies)) assert.match(version, /^\d+\.\d+\.\d+$/);
  });
});

describe('scripts/tag.mjs', () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'sealed-proxy-tag-'));
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  const run = (tag: string) => {
    const args = [fromRoot('scripts/tag.mjs'), tag, join(folder, 'notes.md')];
    return spawnSync(process.execPath, args, { cwd: fromRoot('.'), encoding: 'utf8' });
  };

  it('accepts the tag of the version, and writes its section of the changelog', () => {
    const { status, stdout } = run(`v${VERSION}`);
    const isOdd = Number(VERSION.split('.')[1]) % 2 === 1;
    assert.deepEqual([status, stdout], [0, `version=${VERSION}\nprerelease=${isOdd}\n`]);
    const notes = readFileSync(join(folder, 'notes.md'), 'utf8');
    assert.match(notes, /^### /);
    assert.doesNotMatch(notes, /^## /m);
    const targets = [...notes.matchAll(/\]\(([^)]*)\)/g)].map(([, target]) => target ?? '');
    assert.deepEqual(
      targets.filter((target) => !target.startsWith('https://')),
      [],
      'links that lead nowhere on the page of a release',
    );
  });

  it('refuses any other tag', () => {
    for (const tag of [VERSION, 'v9.9.9', `v${VERSION}-1`]) {
      const { status, stderr } = run(tag);
      assert.equal(status, 1);
      assert.match(stderr, /^This cannot be released: the tag is /);
    }
  });
});

// The script that the editor runs after the extension was uninstalled, as the editor runs it.
import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { opencode } from '../../src/assistants/adapters/opencode.ts';
import { writeRecord } from '../../src/assistants/leave.ts';
import { accessKeyId } from '../../src/shared/accessKeys.ts';
import { UsageHistory } from '../../src/usageHistory/usageHistory.ts';
import { KEY } from '../support/assistantFiles.ts';
import { AssistantHome } from '../support/assistantHome.ts';
import { fromRoot } from '../support/e2e/process.ts';

const FILE = '.config/opencode/opencode.jsonc';
const THEIRS = '{\n  "theme": "gruvbox",\n  "model": "anthropic/claude"\n}\n';

describe('The uninstall script', () => {
  const home = new AssistantHome();
  const extensions = mkdtempSync(join(tmpdir(), 'sealed-proxy-uninstall-'));
  const folder = join(extensions, 'sealed-proxy.sealed-proxy-0.5.0');
  const script = join(folder, 'dist', 'uninstall.js');

  before(() => {
    mkdirSync(join(folder, 'dist'), { recursive: true });
    copyFileSync(fromRoot('dist/uninstall.js'), script);
    writeFileSync(join(folder, 'dist', 'package.json'), '{ "type": "commonjs" }\n');
  });

  after(() => {
    home.remove();
    rmSync(extensions, { recursive: true });
  });

  const run = async () => {
    const child = fork(script, ['--type=extension-post-uninstall'], { silent: true, env: {} });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (text: Buffer) => (output += String(text)));
    const [code] = (await once(child, 'close')) as [number];
    return { code, output };
  };

  it('removes the entries of the record, and needs nothing but itself', async () => {
    home.write(FILE, THEIRS);
    await home.connect(opencode);
    const previousVersion = join(extensions, 'sealed-proxy.sealed-proxy-0.4.9');
    mkdirSync(previousVersion);
    const settings = home.pathOf('settings.json');
    writeFileSync(settings, '{\n  "sealedProxy.baseUrl": "http://127.0.0.1:14114/v1"\n}\n');
    const previous = { opencode: '{"model":"anthropic/claude"}' };
    const record = { places: { home: home.path }, keys: [accessKeyId(KEY)], previous, settings: [settings] };
    await writeRecord(join(previousVersion, 'uninstall.json'), record); // the uninstalled version has never run
    assert.deepEqual(await run(), { code: 0, output: '' });
    assert.equal(home.read(FILE), THEIRS);
    assert.deepEqual(JSON.parse(readFileSync(settings, 'utf8')), {});
  });

  it('removes the usage history, and nothing else of the folder', async () => {
    const storage = home.pathOf('globalStorage');
    mkdirSync(join(storage, 'usage'), { recursive: true });
    const history = new UsageHistory(storage, () => undefined);
    const sum = { hour: 0, caller: 'direct', model: '', requests: 1, errors: 0, cancelled: 0, firstByte: {} };
    const tokens = { tokensIn: 0, tokensOut: 0, tokensCached: 0 };
    await history.erase();
    await history.add({ since: Date.now() + 1, sums: [{ ...sum, ...tokens }] }, Promise.resolve(new Map()));
    writeFileSync(join(storage, 'machine-id'), '');
    const record = { places: { home: home.path }, keys: [], previous: {}, settings: [], storage };
    await writeRecord(join(folder, 'uninstall.json'), record);
    assert.deepEqual(readdirSync(storage).toSorted(), ['machine-id', 'usage', 'usage-erased']);
    assert.deepEqual(await run(), { code: 0, output: '' });
    assert.deepEqual(readdirSync(storage), ['machine-id']);
  });

  it('takes one record after the other, because they may name the same files', async () => {
    home.write(FILE, THEIRS);
    await home.connect(opencode);
    const record = { places: { home: home.path }, keys: [accessKeyId(KEY)], previous: {}, settings: [] };
    for (const version of ['0.4.7', '0.4.8', '0.4.9', '0.5.0']) {
      const folderOfVersion = join(extensions, `sealed-proxy.sealed-proxy-${version}`);
      mkdirSync(folderOfVersion, { recursive: true });
      await writeRecord(join(folderOfVersion, 'uninstall.json'), record);
    }
    assert.deepEqual(await run(), { code: 0, output: '' });
    assert.ok(!home.read(FILE).includes(KEY));
    for (const version of ['0.4.7', '0.4.8'])
      rmSync(join(extensions, `sealed-proxy.sealed-proxy-${version}`), { recursive: true });
  });

  it('writes what it cannot change to the log of the editor, without a key', async () => {
    home.write(FILE, `{ "apiKey": "${KEY}" `);
    await writeRecord(join(folder, 'uninstall.json'), {
      places: { home: home.path },
      keys: [accessKeyId(KEY)],
      previous: {},
      settings: [],
    });
    const { code, output } = await run();
    assert.equal(code, 0);
    assert.ok(output.includes(home.pathOf(FILE)), output);
    assert.ok(!output.includes(KEY));
  });

  it('ends without an error if there is no record', async () => {
    rmSync(join(folder, 'uninstall.json'));
    rmSync(join(extensions, 'sealed-proxy.sealed-proxy-0.4.9'), { recursive: true });
    assert.deepEqual(await run(), { code: 0, output: '' });
  });
});

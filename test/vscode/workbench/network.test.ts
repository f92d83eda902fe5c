// The network of a company: a proxy that only a PAC script names and that wants a password, and settings that a
// repository could have written. The extension trusts the authority of the tests' enclave instead of AWS. Each test
// continues where the previous one ended.
import assert from 'node:assert/strict';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DEVELOPMENT_PCR0 } from '../../../src/devEnclave/attestation/document.ts';
import type { RunningEnclave } from '../../../src/devEnclave/server.ts';
import { toHex } from '../../../src/shared/bytes.ts';
import { freePort } from '../../../src/supervisor/freePort.ts';
import { identityFor, openCompanyProxy } from '../../support/e2e/companyProxy.ts';
import type { CompanyProxy } from '../../support/e2e/companyProxy.ts';
import { perSuite } from '../../support/e2e/scope.ts';
import { Bridge } from '../../support/vscode/bridge.ts';
import { Editor } from '../../support/vscode/editor.ts';
import { openPacServer, usePac } from '../../support/vscode/pac.ts';
import type { PacServer } from '../../support/vscode/pac.ts';
import { assertKeptSecret } from '../../support/vscode/secrecy.ts';
import { currentTestTarget } from '../../support/vscode/testTarget.ts';
import { trustingEquipment } from '../../support/vscode/trust.ts';
import { Workbench } from '../../support/vscode/workbench.ts';
import { eventually } from '../../support/withTimeout.ts';

const API_KEY = 'dev-the-key-in-a-company';
const ENCLAVE = 'enclave.elsewhere.example';
const PASSWORD = 'password-of-a-company-proxy';
const BASIC = `Basic ${Buffer.from(`user:${PASSWORD}`).toString('base64')}`;

describe('A company network', () => {
  const scope = perSuite();
  let enclave: RunningEnclave;
  let company: CompanyProxy;
  let pac: PacServer;
  let editor: Editor;
  let window: Workbench;

  before(async function () {
    const tls = identityFor(ENCLAVE);
    enclave = await scope.enclave({ tls, signed: {} });
    const authentication = { credentials: `user:${PASSWORD}`, challenges: ['Basic realm="company"'] };
    company = await openCompanyProxy({ [`${ENCLAVE}:443`]: enclave.port }, authentication);
    scope.onClose(() => company.close());
    const { host } = new URL(company.url);
    const script = `function FindProxyForURL(url, host) {
      return host === '${ENCLAVE}' ? 'PROXY ${host}; DIRECT' : 'DIRECT';
    }`;
    pac = await openPacServer(script);
    scope.onClose(() => pac.close());
    editor = await Editor.start(
      {
        'sealedProxy.backendUrl': `https://${ENCLAVE}`,
        'sealedProxy.additionalPcr0': [toHex(DEVELOPMENT_PCR0)],
        'sealedProxy.port': await freePort(),
        'http.useLocalProxyConfiguration': true,
        'http.proxyAuthorization': BASIC,
      },
      trustingEquipment(scope, tls.ca, [enclave]),
    );
    scope.onClose(() => editor.stop());
  });

  if (currentTestTarget().kind === 'server') {
    it('may fill the settings of a remote computer: those that redirect prompts are ignored, and the user is told', async () => {
      const machine = join(editor.profile.userData, 'Machine', 'settings.json');
      const settings = JSON.parse(readFileSync(machine, 'utf8')) as object;
      const redirected = { ...settings, 'sealedProxy.backendUrl': 'http://127.0.0.1:9' };
      writeFileSync(machine, JSON.stringify(redirected));
      window = await editor.open('project');
      await window.toast('sealedProxy.backendUrl in the settings of the remote computer is ignored.').waitFor();
      await window.screenshot('ignored-setting');
      await window.dismiss('is ignored');
      const url = await window.bridge.run(
        (vscode) => vscode.workspace.getConfiguration('sealedProxy').get<string>('backendUrl'),
        null,
      );
      assert.equal(url, `https://${ENCLAVE}`);
    });

    it('is reached through the proxy that a PAC script names, with the password of http.proxyAuthorization', async () => {
      const folder = editor.profile.folder('project');
      rmSync(join(folder, 'bridge.json'));
      await usePac(window.page, pac.url);
      window = new Workbench(window.page, await Bridge.of(folder));
      await window.waitForStatus('Sealed Proxy: set API key', 'key');
      await window.setApiKey(API_KEY);
      await window.waitForStatus('Sealed Proxy', 'shield');
      assert.deepEqual([...new Set(company.tunnels)], [`${ENCLAVE}:443`]);
      assert.equal(company.credentials.at(-1), `user:${PASSWORD}`);
      const shown = await window.diagnosis('pac');
      const { host } = new URL(company.url);
      assert.ok(shown.includes(`${host}, from the operating system or a PAC script; credentials are sent`), shown);
      assert.match(shown, / bundled with Node\.js, \d+ from the operating system, 1 from NODE_EXTRA_CA_CERTS/);
    });
  }

  it('is reached through http.proxy', async () => {
    if (currentTestTarget().kind === 'desktop') {
      window = await editor.open('project');
      await window.setApiKey(API_KEY);
    }
    const tunnels = company.tunnels.length;
    await set('http.proxy', company.url);
    await eventually('another tunnel', () => company.tunnels.length > tunnels);
    await window.waitForStatus('Sealed Proxy', 'shield');
    const shown = await window.diagnosis('http-proxy');
    assert.ok(shown.includes(`${new URL(company.url).host}, from http.proxy; credentials are sent`), shown);
  });

  it('says that the proxy refuses the password, and what to do', async () => {
    await set('http.proxy', company.url.replace('//', '//user:wrong@'));
    await window.waitForStatus('Sealed Proxy: backend unreachable', 'debug-disconnect');
    const tooltip = await window.picture('proxy-authentication');
    assert.match(tooltip, /The HTTP proxy \S+ refused the user name and the password\. Set http\.proxyAuthorization/);
    const shown = await window.diagnosis('proxy-authentication');
    assert.match(shown, /add the user name and the password to the URL in http\.proxy\./);
    assert.match(shown, /it refused the credentials \(Basic\); the backend is unreachable/);
  });

  it('does not get the password in a log or a report', () => {
    assertKeptSecret({ 'the API key': API_KEY }, editor);
  });

  async function set(name: string, value: unknown): Promise<void> {
    await window.bridge.run(
      (vscode, [key, next]) => vscode.workspace.getConfiguration().update(key, next, vscode.ConfigurationTarget.Global),
      [name, value] as const,
    );
  }
});

import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TOOLS, readHardwareId } from '../../../src/keys/hardwareId.ts';

const UUID = '4C4C4544-0051-3910-8057-B7C04F503333';
/** What the tools print, shortened. */
const IOREG = `+-o J314sAP  <class IOPlatformExpertDevice, id 0x100000227, registered, matched, active, busy 0 (105 ms), retain 39>
    {
      "IOPolledInterface" = "AppleARMWatchdogTimerHibernateHandler is not serializable"
      "IOPlatformUUID" = "${UUID}"
      "serial-number" = <48594d4b4d4e4c564d4b00>
    }
`;
const REG = `\r\nHKEY_LOCAL_MACHINE\\SOFTWARE\\Microsoft\\Cryptography\r\n    MachineGuid    REG_SZ    ${UUID.toLowerCase()}\r\n\r\n`;

describe('readHardwareId()', () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'sealed-proxy-tool-'));
  });

  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  /** A program in the place of the system's. */
  const tool = (script: string, output: RegExp) => {
    const file = join(folder, 'tool');
    writeFileSync(file, `#!${process.execPath}\n${script}\n`);
    chmodSync(file, 0o755);
    return { file, args: [], output };
  };
  const print = (text: string) => `process.stdout.write(${JSON.stringify(text)});`;

  for (const [platform, text] of [
    ['darwin', IOREG],
    ['win32', REG],
  ] as const) {
    it(`finds the id in the output of ${platform}'s tool`, async () => {
      const output = TOOLS[platform]?.output ?? /$^/;
      assert.equal(await readHardwareId(tool(print(text), output)), UUID.toLowerCase());
      assert.equal(await readHardwareId(tool(print('nothing'), output)), '');
    });
  }

  it('is empty if the tool is missing or forbidden', async () => {
    const output = /^(.)/;
    assert.equal(await readHardwareId({ file: join(folder, 'missing'), args: [], output }), '');
    assert.equal(await readHardwareId(tool('process.exit(1);', output)), '');
  });

  it('rejects if the tool does not finish in time', async () => {
    const hanging = tool('setInterval(() => undefined, 1000);', /^(.)/);
    await assert.rejects(readHardwareId(hanging, 300), /did not finish in time/);
  });

  it('rejects if something ends the tool, since the id would differ from the next one', async () => {
    const killed = tool("process.kill(process.pid, 'SIGKILL');", /^(.)/);
    await assert.rejects(readHardwareId(killed), /could not be run/);
  });

  it('is the machine id of a Linux system, if it has one', async function () {
    if (process.platform !== 'linux') this.skip();
    let wanted = '';
    for (const file of ['/var/lib/dbus/machine-id', '/etc/machine-id']) {
      try {
        wanted = readFileSync(file, 'utf8').trim() || wanted;
      } catch {
        // a container without one
      }
    }
    assert.equal(await readHardwareId(), wanted);
  });
});

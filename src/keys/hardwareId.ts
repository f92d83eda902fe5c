// What tells this computer from others that share a home folder. The editor's `env.machineId` does not: in a remote window
// it names the computer of the user, not the one that the extension runs on.
import { execFile } from 'node:child_process';
import type { ExecFileException } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A system tool that takes longer is asked again the next time. In milliseconds. */
const TOOL_LIMIT = 10_000;
/** https://www.freedesktop.org/software/systemd/man/latest/machine-id.html */
const LINUX_FILES = ['/etc/machine-id', '/var/lib/dbus/machine-id'];
const UUID = '[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}';

interface Tool {
  readonly file: string;
  readonly args: readonly string[];
  /** Its first group is the id. */
  readonly output: RegExp;
}

/** Both are part of the system, and are named with their folder: a program of the same name may come first in the path. */
export const TOOLS: Readonly<Partial<Record<NodeJS.Platform, Tool>>> = {
  darwin: {
    file: '/usr/sbin/ioreg',
    args: ['-rd1', '-c', 'IOPlatformExpertDevice'],
    output: new RegExp(`"IOPlatformUUID" = "(${UUID})"`),
  },
  win32: {
    file: join(process.env['SystemRoot'] ?? 'C:\\Windows', 'System32', 'reg.exe'),
    args: ['query', String.raw`HKLM\SOFTWARE\Microsoft\Cryptography`, '/v', 'MachineGuid', '/reg:64'],
    output: new RegExp(`MachineGuid\\s+REG_SZ\\s+(${UUID})`),
  },
};

/**
 * The id that the system has for this computer; empty if it has none, or if its tool is missing or forbidden.
 * @param tool by default the one of this platform
 * @throws Error for a failure that may pass, such as a tool that does not finish in time: an empty id would then differ
 *   from the next one, and the keys of this computer would be those of another one
 */
export async function readHardwareId(tool = TOOLS[process.platform], limit = TOOL_LIMIT): Promise<string> {
  if (tool !== undefined) return runTool(tool, limit);
  for (const file of LINUX_FILES) {
    const id = (await readFile(file, 'utf8').catch(emptyIfLasting)).trim();
    if (id !== '') return id;
  }
  return '';
}

/** True if there were too few resources for a moment, or something ended the tool. */
function isTemporary({
  code,
  signal,
}: {
  readonly code?: unknown;
  readonly signal?: ExecFileException['signal'];
}): boolean {
  return typeof signal === 'string' || ['EAGAIN', 'EMFILE', 'ENFILE', 'ENOMEM', 'EIO'].includes(String(code));
}

function emptyIfLasting(error: NodeJS.ErrnoException): string {
  if (isTemporary(error)) throw error;
  return '';
}

function runTool({ file, args, output }: Tool, timeout: number): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(file, args, { timeout, windowsHide: true, killSignal: 'SIGKILL' }, (error, stdout) => {
      if (error?.killed === true) reject(new Error(`${file} did not finish in time. Try again.`));
      else if (error !== null && isTemporary(error)) reject(new Error(`${file} could not be run. Try again.`));
      else resolve(output.exec(stdout)?.[1]?.toLowerCase() ?? '');
    });
  });
}

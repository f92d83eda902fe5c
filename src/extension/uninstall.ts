// The editor runs this in plain Node after the extension was uninstalled: the script "vscode:uninstall" of package.json.
import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { uninstall } from '../assistants/uninstall.ts';
import { EXTENSION_ID } from '../shared/extensionId.ts';

const folder = dirname(dirname(process.argv[1] ?? ''));
// The version that was uninstalled may never have run: then a previous one, beside it, has the record.
const previous = readdirSync(dirname(folder)).filter((name) => name.startsWith(`${EXTENSION_ID}-`));
const folders = new Set([folder, ...previous.map((name) => join(dirname(folder), name))]);

/** One after the other: their records may name the same files. */
async function uninstallAll(): Promise<void> {
  for (const each of folders)
    for (const message of await uninstall(join(each, 'uninstall.json'))) console.error(message);
}

void uninstallAll();

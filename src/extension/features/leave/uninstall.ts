// The editor runs this in plain Node after the extension was uninstalled: the script "vscode:uninstall" of package.json.
import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readRecord, uninstall } from '../../../assistants/leave.ts';
import { errorMessage } from '../../../shared/errors.ts';
import { removeHistory } from '../../../usageHistory/usageHistory.ts';
import { EXTENSION_ID } from '../../core/extensionId.ts';

const folder = dirname(dirname(process.argv[1] ?? ''));
// The version that was uninstalled may never have run: then a previous one, beside it, has the record.
const previous = readdirSync(dirname(folder)).filter((name) => name.startsWith(`${EXTENSION_ID}-`));
const folders = new Set([folder, ...previous.map((name) => join(dirname(folder), name))]);

/** One after the other: their records may name the same files. */
async function uninstallAll(): Promise<void> {
  for (const each of folders) {
    const record = await readRecord(join(each, 'uninstall.json'));
    if (record === undefined) continue;
    for (const message of await uninstall(record)) console.error(message);
    await removeUsage(record.storage);
  }
}

async function removeUsage(storage: string | undefined): Promise<void> {
  try {
    if (storage !== undefined) await removeHistory(storage);
  } catch (error) {
    console.error(`The usage history in ${storage} could not be deleted. ${errorMessage(error)}`);
  }
}

void uninstallAll();

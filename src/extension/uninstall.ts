// The editor runs this in plain Node after the extension was uninstalled: the script "vscode:uninstall" of package.json.
import { dirname, join } from 'node:path';
import { uninstall } from '../assistants/uninstall.ts';

const folder = dirname(dirname(process.argv[1] ?? ''));

void uninstall(join(folder, 'uninstall.json')).then((messages) => {
  for (const message of messages) console.error(message);
});

// Installs what slow suites of `npm test` need, while the fast ones run: `node download.mjs editor`, or `assistants`. What fails
// here is tried again, and reported, by the suite that needs it.
import { installAssistants } from './assistants/install.mjs';
import { chooseTestTarget } from './vscode/testTarget.mjs';

if (process.argv[2] === 'editor') await chooseTestTarget().catch(() => undefined);
else installAssistants({ python: false });

// Installs what the slow suites of `npm test` need, while the fast ones run. What fails here is tried again, and reported,
// by the suite that needs it.
import { installAssistants } from './assistants/install.mjs';
import { chooseTestTarget } from './vscode/testTarget.mjs';

await chooseTestTarget().catch(() => undefined);
installAssistants({ python: false });

// Runs the tests of the dashboard's web view in a real browser: node scripts/dashboard.mjs [file or option of mocha ...]
import { spawnSync } from 'node:child_process';
import { installBrowser } from './vscode/install.mjs';

const built = spawnSync(process.execPath, ['esbuild.mjs', '--quiet'], { stdio: 'inherit' });
if (built.status !== 0) process.exit(1);
const mocha = ['scripts/mocha.mjs', 'dashboard', ...process.argv.slice(2)];
const { status } = spawnSync(process.execPath, mocha, {
  stdio: 'inherit',
  env: { ...process.env, DASHBOARD_BROWSER: installBrowser() },
});
process.exitCode = status ?? 1;

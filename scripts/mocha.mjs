// Runs a suite with mocha, or only the named files of it: node scripts/mocha.mjs SUITE [file or option of mocha ...]
import { spawnSync } from 'node:child_process';

/** Several files at a time: each has processes of its own, and tests wait more than they compute. */
const IN_PAIRS = ['--parallel', '--jobs=2'];
/** An editor waits even more: two at a time take less than half of two cores. */
const IN_THREES = ['--parallel', '--jobs=3'];

const SUITES = {
  unit: {
    files: ['test/unit/**/*.test.ts', 'test/integration/**/*.test.ts', 'test/project/**/*.test.ts'],
    options: IN_PAIRS,
  },
  e2e: { files: ['test/e2e/**/*.test.ts'], options: IN_PAIRS },
  dashboard: { files: ['test/dashboard/**/*.test.ts'] },
  assistants: { files: ['test/assistants/**/*.test.ts'] },
  vscode: {
    files: ['test/vscode/workbench/**/*.test.ts'],
    options: ['--require=test/support/vscode/hooks.ts', ...IN_THREES],
  },
};

const [name, ...args] = process.argv.slice(2);
const { files, options = [] } = SUITES[name];
const named = args.some((argument) => argument.endsWith('.test.ts'));
// Some tests need POSIX; everywhere else than on Windows, a skipped test fails.
const common = process.platform === 'win32' ? [] : ['--forbid-pending'];
const mocha = ['node_modules/mocha/bin/mocha.js', ...common, ...options, ...args, ...(named ? [] : files)];
process.exitCode = spawnSync(process.execPath, mocha, { stdio: 'inherit' }).status ?? 1;

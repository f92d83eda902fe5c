// `it` for tests that not every system can run. A worker of mocha runs several files, each with an `it` of its own: it must be
// looked up when a test is defined, not when this file is imported.

type Test = (this: Mocha.Context) => unknown;

/** For a process that handles a signal. Windows has no signals: `kill` ends a process at once. */
export function itWithSignals(title: string, test: Test): void {
  (process.platform === 'win32' ? it.skip : it)(title, test as Mocha.Func);
}

/** For something of Linux, such as /proc. */
export function itOnLinux(title: string, test: Test): void {
  (process.platform === 'linux' ? it : it.skip)(title, test as Mocha.Func);
}

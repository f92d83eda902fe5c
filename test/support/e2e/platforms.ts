/** `it` for tests in which a process handles a signal. Windows has no signals: `kill` ends a process at once. */
export const itWithSignals = process.platform === 'win32' ? it.skip : it;

/** `it` for tests that need something of Linux, such as /proc. */
export const itOnLinux = process.platform === 'linux' ? it : it.skip;

/** `it` for tests in which a process handles a signal. Windows has no signals: `kill` ends a process at once. */
export const itWithSignals = process.platform === 'win32' ? it.skip : it;

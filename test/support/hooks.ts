// A test that fails while the clock is simulated must not stop the clock of those after it.
import { mock } from 'node:test';

export const mochaHooks = {
  afterEach(): void {
    mock.timers.reset();
  },
};

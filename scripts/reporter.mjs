// Mocha's dot reporter, which also appends its counts and what failed to the file TEST_COUNTS, for the end of
// `npm test`.
import { appendFileSync } from 'node:fs';
import Mocha from 'mocha';

export default class CountingReporter extends Mocha.reporters.Dot {
  constructor(runner, options) {
    super(runner, options);
    const failed = [];
    runner.on(Mocha.Runner.constants.EVENT_TEST_FAIL, (test, error) => {
      failed.push(`${test.fullTitle()}: ${reasonOf(error)}`);
    });
    runner.once(Mocha.Runner.constants.EVENT_RUN_END, () => {
      const { passes, failures } = this.stats;
      const path = process.env.TEST_COUNTS;
      if (path) appendFileSync(path, `${JSON.stringify({ passes, failures, failed })}\n`);
    });
  }
}

/** The first lines of an error and of its causes. */
function reasonOf({ message = '', cause }) {
  const [reason] = message.split('\n');
  const short = reason.slice(0, 200);
  return cause instanceof Error ? `${short}: ${reasonOf(cause)}` : short;
}

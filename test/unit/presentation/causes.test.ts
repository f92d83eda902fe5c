import assert from 'node:assert/strict';
import { remedyOf } from '../../../src/presentation/causes.ts';
import { describeStatus } from '../../../src/presentation/statusText.ts';
import { AT, RUNNING } from '../../support/diagnostics.ts';

describe('remedyOf()', () => {
  const failureOf = (code: string, detail: string | null) => ({ at: AT, code, detail, message: 'It failed' });

  it('is that of the cause, and of the network for the list of images', () => {
    const network = { cause: 'network', failure: failureOf('network', 'proxy_refused') } as const;
    assert.match(remedyOf(network), /^Ask your network administrator/);
    const history = { cause: 'pcr0', failure: failureOf('history_unavailable', 'proxy_refused') } as const;
    assert.match(remedyOf(history), /raw\.githubusercontent\.com\. Ask your network administrator/);
    assert.match(remedyOf({ cause: 'pcr0', failure: null }), /^Update the extension/);
  });

  it('is part of the status', () => {
    const failure = {
      at: AT,
      code: 'network',
      detail: 'proxy_authentication',
      message: 'The HTTP proxy p:1 wants more',
    };
    const { detail } = describeStatus({
      ...RUNNING,
      health: {
        kind: 'unreachable',
        cause: 'network',
        message: failure.message,
        failure,
        checkedAt: AT,
        retryAt: null,
      },
    });
    assert.match(detail, /^The HTTP proxy p:1 wants more\. Set http\.proxyAuthorization/);
  });
});

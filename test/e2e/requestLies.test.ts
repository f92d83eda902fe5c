// An enclave that lies behind a good handshake: nothing false reaches a client as if it were true.
import assert from 'node:assert/strict';
import type { RunningEnclave } from '../../src/devEnclave/server.ts';
import { ask } from '../support/e2e/ask.ts';
import { chatBody } from '../support/e2e/chat.ts';
import { listFaults } from '../support/e2e/faultList.ts';
import { RUNTIMES } from '../support/e2e/process.ts';
import { ERRORS, assertError } from '../support/e2e/proxyErrors.ts';
import { recordedModel } from '../support/e2e/recordedModel.ts';
import { perSuite } from '../support/e2e/scope.ts';
import type { ServerProcess } from '../support/e2e/scope.ts';

/**
 * What becomes of a request: it is refused before the start, broken behind it, or whole. `requests`: how many
 * logical requests the enclave admitted for it. `handshakes`: how many new ones it took.
 */
interface Expected {
  readonly client: 'refused' | 'timeout' | 'broken' | 'whole';
  readonly end: string;
  readonly requests: number;
  readonly handshakes: number;
  /** How many of the pieces that the enclave's model wrote come through at most, where the answer is broken. */
  readonly pieces?: number;
}

const refused = (end: string, requests = 1): Expected => ({ client: 'refused', end, requests, handshakes: 0 });
const broken = (end: string, pieces: number): Expected => ({
  client: 'broken',
  end,
  requests: 1,
  handshakes: 0,
  pieces,
});
const WHOLE: Expected = { client: 'whole', end: 'complete', requests: 1, handshakes: 0 };
/** One resend is allowed, in a fresh session; it is refused as well. */
const REFUSED_TWICE: Expected = { client: 'refused', end: 'session_rejected', requests: 0, handshakes: 1 };
const ALL = Infinity;

const EXPECTED: Readonly<Record<string, Expected>> = {
  'marked-session-not-found': REFUSED_TWICE,
  'marked-decryption-failed': REFUSED_TWICE,
  'answer-before-body': REFUSED_TWICE,
  'unmarked-400': refused('response_status', 0),
  'double-marked': refused('response_status', 0),
  'double-code': refused('response_status', 0),
  'marked-unknown-code': refused('response_status', 0),
  'marked-contract-2': refused('response_status', 0),
  'marked-503': refused('response_status', 0),
  'outer-413': refused('response_status', 0),
  'outer-415': refused('response_status', 0),
  'outer-503': refused('response_status', 0),
  redirect: refused('response_status', 0),
  'wrong-outer-status': refused('response_status'),
  'wrong-outer-type': refused('response_content_type'),
  'parameter-outer-type': refused('response_content_type'),
  'no-outer-type': refused('response_content_type'),
  'double-outer-type': refused('response_content_type'),
  'reset-before-response': refused('network', 0),
  'close-before-response': refused('network', 0),
  'hang-before-response': { client: 'timeout', end: 'timeout', requests: 0, handshakes: 0 },
  'tampered-record': broken('record_authentication', 0),
  'swapped-records': broken('record_authentication', 0),
  'repeated-record': broken('record_authentication', 1),
  'dropped-record': broken('record_authentication', 0),
  'truncated-frame': broken('truncated', 0),
  'early-end': broken('truncated', 1),
  'missing-end': broken('truncated', ALL),
  'bytes-behind-end': broken('record_order', ALL),
  'record-behind-end': broken('record_order', ALL),
  'second-start': broken('record_order', 0),
  'chunk-before-start': refused('record_order'),
  'no-start': refused('record_order'),
  'malformed-start': refused('record_malformed'),
  'oversize-frame': broken('record_length', 0),
  'huge-frame': broken('record_length', 0),
  'tiny-frame': broken('record_length', 0),
  'unknown-tag': broken('record_malformed', 0),
  'end-with-content': broken('record_malformed', ALL),
  'error-record': broken('enclave_error', 1),
  'error-before-start': refused('record_order'),
  'malformed-error': broken('record_malformed', 1),
  'another-request-id': refused('record_authentication'),
  'reset-mid-response': broken('network', 1),
  'close-mid-response': broken('network', 1),
  'hang-mid-response': broken('timeout', 1),
  'byte-by-byte': WHOLE,
  'one-write': WHOLE,
};

for (const { runtime, nodeArgs } of RUNTIMES) {
  describe(`an enclave that lies to a proxy with ${runtime}`, () => {
    const scope = perSuite();
    const model = recordedModel();
    let enclave: RunningEnclave;
    let proxy: ServerProcess;

    before(async () => {
      enclave = await scope.enclave({ handler: model.handler });
      const clocks = { PROXY_REQUEST_TIMEOUT_SECS: '0.4', PROXY_STREAM_IDLE_TIMEOUT_SECS: '0.4' };
      proxy = await scope.proxy(enclave, clocks, { nodeArgs });
      await proxy.logged('session');
    });

    /** Asks, and waits for the line about it in the log. */
    const askLogged = async (body: string) => {
      const logged = proxy.stderr.items.length;
      const answer = await ask(proxy.url, { body });
      return { answer, line: await proxy.logged('request', {}, logged) };
    };

    const assertHonest = async () => {
      const { answer } = await askLogged(chatBody('Hello', { stream: true }));
      assert.deepEqual([answer.status, answer.broken], [200, false]);
      assert.ok(answer.body.equals(Buffer.concat(model.answers.at(-1)?.chunks ?? [])));
    };

    const groups = ['Outside of the records', 'In the records', 'Strange deliveries of honest records'];
    const faults = groups.flatMap((group) => listFaults().get(group) ?? []);

    for (const fault of faults) {
      for (const stream of [true, false]) {
        it(`gets away with nothing: ${fault}, ${stream ? 'streaming' : 'not streaming'}`, async () => {
          const expected = EXPECTED[fault];
          assert.ok(expected, 'every lie has an expectation');
          const [requests, handshakes] = [enclave.journal.requests.length, enclave.journal.handshakes];
          enclave.setFaults(fault);
          const { answer, line } = await askLogged(chatBody('/repeat 5', { stream }));
          enclave.setFaults('');
          const pieces = model.answers.at(-1)?.chunks ?? [];
          switch (expected.client) {
            case 'refused':
              assertError(answer, ERRORS.backend);
              break;
            case 'timeout':
              assertError(answer, ERRORS.timeout);
              break;
            case 'broken':
              assert.deepEqual([answer.status, answer.broken], [200, true]);
              assert.ok(answer.body.equals(Buffer.concat(pieces.slice(0, expected.pieces))), answer.body.toString());
              break;
            case 'whole':
              assert.deepEqual([answer.status, answer.broken], [200, false]);
              assert.ok(answer.body.equals(Buffer.concat(pieces)));
          }
          assert.deepEqual([line['status'], line['end']], [answer.status, expected.end]);
          assert.equal(enclave.journal.requests.length - requests, expected.requests);
          assert.equal(enclave.journal.handshakes - handshakes, expected.handshakes);
          await assertHonest();
        });
      }
    }
  });
}

describe('the lies of the development enclave', () => {
  it('are all of the groups that are tested', () => {
    assert.deepEqual(
      [...listFaults().keys()],
      [
        'In the handshake',
        'In the handshake of an enclave that signs its documents',
        'Outside of the records',
        'In the records',
        'Strange deliveries of honest records',
      ],
    );
    for (const names of listFaults().values()) assert.ok(names.length > 0);
  });
});

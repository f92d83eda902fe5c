// A client that does not read holds the enclave back, and nothing is lost by it.
import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { readFileSync } from 'node:fs';
import type { ApiHandler } from '../../src/devEnclave/model/apiHandler.ts';
import { head, readAnswer } from '../support/e2e/ask.ts';
import { chatBody } from '../support/e2e/chat.ts';
import { RUNTIMES } from '../support/e2e/process.ts';
import { perSuite } from '../support/e2e/scope.ts';

const PIECE = Buffer.alloc(64 * 1024, 'abcdefg');
const PIECES = 2000;
const MIB = 1024 * 1024;

for (const { runtime, nodeArgs } of RUNTIMES) {
  describe(`a client that reads nothing, at a proxy with ${runtime},`, () => {
    const scope = perSuite();

    it('holds the enclave back until it reads, and then gets everything', async () => {
      let written = 0;
      const handler: ApiHandler = async (_request, response) => {
        response.start({ status: 200, headers: [{ name: 'content-type', value: 'text/event-stream' }] });
        for (; written < PIECES; written++) if (!response.write(PIECE)) await response.drained();
        response.end();
      };
      const proxy = await scope.proxy(await scope.enclave({ handler }), {}, { nodeArgs });
      await proxy.logged('session');
      const idle = memoryOf(proxy.pid);
      const message = await head(proxy.url, { body: chatBody('Hello') });
      // Standing still is not an event: it is seen when nothing more is written for a while.
      for (let before = -1; before < written;) {
        before = written;
        await delay(300);
      }
      const held = (written * PIECE.length) / MIB;
      assert.ok(held < 30, `${held} MiB were written to a client that reads nothing`);
      assert.ok(memoryOf(proxy.pid) - idle < 60, 'what is not read is not kept by the proxy');
      const answer = await readAnswer(message, 15_000);
      assert.equal(answer.broken, false);
      assert.equal(answer.body.length, PIECES * PIECE.length);
      assert.ok(answer.body.subarray(-PIECE.length).equals(PIECE));
    }).timeout(30_000);
  });
}

/** What a process has in memory, in MiB; 0 where that cannot be asked. */
function memoryOf(pid: number): number {
  if (process.platform !== 'linux') return 0;
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
}

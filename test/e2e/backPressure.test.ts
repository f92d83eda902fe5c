// Back-pressure: a client that does not read slows the enclave down, and no byte is lost.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { ApiHandler } from '../../src/devEnclave/model/apiHandler.ts';
import { chatBody } from '../support/e2e/chat.ts';
import { openResponse, readResponse } from '../support/e2e/httpClient.ts';
import { RUNTIMES } from '../support/e2e/process.ts';
import { perSuite } from '../support/e2e/scope.ts';

const CHUNK = Buffer.alloc(64 * 1024, 'abcdefg');
const CHUNKS = 2000;
const MIB = 1024 * 1024;

for (const { runtime, nodeArgs } of RUNTIMES) {
  describe(`Back-pressure through a proxy with ${runtime}`, () => {
    const scope = perSuite();

    it('stops the enclave while the client does not read, and then delivers everything', async () => {
      let written = 0;
      const handler: ApiHandler = async (_request, response) => {
        response.start({ status: 200, headers: [{ name: 'content-type', value: 'text/event-stream' }] });
        for (; written < CHUNKS; written++) if (!response.write(CHUNK)) await response.drained();
        response.end();
      };
      const proxy = await scope.proxy(await scope.enclave({ handler }), {}, { nodeArgs });
      await proxy.logged('session');
      const idle = memoryOf(proxy.pid);
      const message = await openResponse(proxy.url, { body: chatBody('Hello') });
      // No event reports that the enclave has stopped writing: poll until the count no longer changes.
      for (let before = -1; before < written;) {
        before = written;
        await delay(300);
      }
      const held = (written * CHUNK.length) / MIB;
      assert.ok(held < 30, `${held} MiB were written to a client that does not read`);
      assert.ok(memoryOf(proxy.pid) - idle < 60, 'the proxy does not buffer unread data');
      const response = await readResponse(message);
      assert.equal(response.broken, false);
      assert.equal(response.body.length, CHUNKS * CHUNK.length);
      assert.ok(response.body.subarray(-CHUNK.length).equals(CHUNK));
    });
  });
}

/** The resident memory of a process in MiB; 0 on systems without /proc. */
function memoryOf(pid: number): number {
  if (process.platform !== 'linux') return 0;
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
}

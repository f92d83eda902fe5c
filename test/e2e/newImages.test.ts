// A proxy whose user wants to be asked before a new enclave image is used. The proxy runs inside this process, because it
// must trust the authority of the enclave.
import assert from 'node:assert/strict';
import { DEVELOPMENT_PCR0 } from '../../src/devEnclave/attestation/document.ts';
import { createTlsIdentity } from '../../src/devEnclave/attestation/tlsIdentity.ts';
import type { RunningEnclave } from '../../src/devEnclave/server.ts';
import type { ServiceEvent } from '../../src/proxy/service.ts';
import { toHex } from '../../src/shared/bytes.ts';
import type { ImageRules, NewImage } from '../../src/shared/messages.ts';
import { chatBody } from '../support/e2e/chat.ts';
import { EventQueue } from '../support/e2e/eventQueue.ts';
import { sendRequest } from '../support/e2e/httpClient.ts';
import { perTest } from '../support/e2e/scope.ts';
import type { InternalProxy } from '../support/e2e/scope.ts';
import { flushEventLoop } from '../support/withTimeout.ts';

const TLS = createTlsIdentity(Date.now());
const OLD = toHex(DEVELOPMENT_PCR0);
const NEW = 'cd'.repeat(48);
const FIRST: ImageRules = { confirm: true, acceptsFirst: true, last: null, accepted: [], refused: [] };
const KNOWN: ImageRules = { confirm: true, acceptsFirst: false, last: OLD, accepted: [OLD], refused: [] };

/** A request of each kind: path, and body unless it is a GET. */
const REQUESTS = [
  ['/v1/models'],
  ['/v1/chat/completions', chatBody('Hello')],
  ['/v1/embeddings', JSON.stringify({ model: 'nomic-embed-text', input: 'Hello' })],
  [
    '/anthropic/v1/messages',
    JSON.stringify({ model: 'glm-5-2', max_tokens: 9, messages: [{ role: 'user', content: 'x' }] }),
  ],
  ['/responses/v1/responses', JSON.stringify({ model: 'glm-5-2', input: 'x' })],
] as const;

describe('A new enclave image', () => {
  const scope = perTest();
  let enclave: RunningEnclave;
  let events: EventQueue<ServiceEvent>;

  beforeEach(async () => {
    enclave = await scope.enclave({ tls: TLS, signed: { moduleId: 'i-1-enc2' } });
    events = new EventQueue();
  });

  const start = (images?: ImageRules): Promise<InternalProxy> =>
    scope.internalProxy(
      enclave,
      { PROXY_ADDITIONAL_PCR0: `${OLD},${NEW}` },
      {
        network: { certificates: [TLS.ca] },
        internals: { anchors: enclave.anchors },
        onEvent: (event) => {
          events.add(event);
        },
        images,
      },
    );
  const send = ({ url }: InternalProxy, [path, body]: readonly [string, string?]) =>
    sendRequest(url, body === undefined ? { path, method: 'GET' } : { path, body });
  const chat = (proxy: InternalProxy) => send(proxy, REQUESTS[1]);
  /** The enclave is updated: it forgets its sessions. */
  const update = () => {
    enclave.setImage(Buffer.from(NEW, 'hex'));
    enclave.dropSessions();
  };
  const question = async (refused = false): Promise<NewImage> => {
    const isQuestion = (event: ServiceEvent) => event.type === 'confirmImage' && event.image.refused === refused;
    const event = await events.find('the question', isQuestion);
    return (event as Extract<ServiceEvent, { type: 'confirmImage' }>).image;
  };
  /** Everything that the enclave has decrypted since. */
  const received = () => enclave.journal.requests.length;

  it('is used without a question if the user wants none', async () => {
    for (const rules of [undefined, { ...KNOWN, confirm: false }]) {
      const proxy = await start(rules);
      update();
      assert.equal((await chat(proxy)).status, 200);
    }
    assert.equal(
      events.items.find(({ type }) => type === 'confirmImage'),
      undefined,
    );
  });

  it('is used without a question if it is the first one ever, and the next one is not', async () => {
    const proxy = await start(FIRST);
    assert.equal((await chat(proxy)).status, 200);
    const before = received();
    update();
    const waiting = chat(proxy);
    assert.deepEqual(await question(), { pcr0: NEW, approvedBy: 'additional', listedSince: null, refused: false });
    await flushEventLoop();
    assert.equal(received(), before);
    proxy.updateImages({ ...KNOWN, accepted: [OLD, NEW] });
    assert.equal((await waiting).status, 200);
  });

  it('gets no request of any kind before the user has accepted it, and then each one that waits', async () => {
    enclave.setImage(Buffer.from(NEW, 'hex'));
    const proxy = await start(KNOWN);
    const waiting = REQUESTS.map((request) => send(proxy, request));
    await question();
    await flushEventLoop();
    assert.deepEqual([received(), enclave.journal.rejections, enclave.journal.handshakes], [0, [], 1]);
    proxy.updateImages({ ...KNOWN, accepted: [OLD, NEW] });
    assert.deepEqual(
      (await Promise.all(waiting)).map(({ status }) => status),
      REQUESTS.map(() => 200),
    );
    const verified = await events.find('the session', ({ type }) => type === 'verified');
    assert.ok(verified.type === 'verified' && verified.verified.kind === 'verified');
    assert.equal(verified.verified.pcr0, NEW);
  });

  it('gets no request after the user has refused it: those that wait and later ones fail with a sentence', async () => {
    enclave.setImage(Buffer.from(NEW, 'hex'));
    const proxy = await start(KNOWN);
    const waiting = REQUESTS.map((request) => send(proxy, request));
    await question();
    proxy.updateImages({ ...KNOWN, refused: [NEW] });
    for (const response of [...(await Promise.all(waiting)), await chat(proxy)]) {
      assert.equal(response.status, 502);
      assert.match(response.body.toString(), /The enclave runs an image that you have chosen not to use/);
    }
    assert.equal((await question(true)).pcr0, NEW);
    assert.deepEqual([received(), enclave.journal.rejections], [0, []]);
    const { code } = await proxy.log.find('the log line', ({ event }) => event === 'handshake_failed');
    assert.equal(code, 'image_refused');

    // The user changes their mind.
    proxy.updateImages({ ...KNOWN, accepted: [OLD, NEW] });
    assert.equal((await chat(proxy)).status, 200);
  });

  it('does not hold up the enclave that runs the accepted image again', async () => {
    enclave.setImage(Buffer.from(NEW, 'hex'));
    const proxy = await start({ ...KNOWN, refused: [NEW] });
    assert.equal((await chat(proxy)).status, 502);
    enclave.setImage(DEVELOPMENT_PCR0);
    assert.equal((await chat(proxy)).status, 200);
  });

  it('is used as soon as the user turns the question off', async () => {
    enclave.setImage(Buffer.from(NEW, 'hex'));
    const proxy = await start(KNOWN);
    const waiting = chat(proxy);
    await question();
    proxy.updateImages({ ...KNOWN, confirm: false });
    assert.equal((await waiting).status, 200);
  });

  it('keeps no proxy from stopping', async () => {
    enclave.setImage(Buffer.from(NEW, 'hex'));
    const proxy = await start(KNOWN);
    const waiting = chat(proxy).catch(() => undefined);
    await question();
    await proxy.stop(0);
    await waiting;
    assert.equal(received(), 0);
  });
});

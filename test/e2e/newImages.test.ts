// A proxy whose user wants to be asked before a new enclave image is used. The proxy runs inside this process, because it
// must trust the authority of the enclave.
import assert from 'node:assert/strict';
import { PINS } from '../../src/attestation/pins.ts';
import { DEVELOPMENT_PCR0 } from '../../src/devEnclave/attestation/document.ts';
import { createTlsIdentity } from '../../src/devEnclave/attestation/tlsIdentity.ts';
import type { RunningEnclave } from '../../src/devEnclave/server.ts';
import type { ServiceEvent } from '../../src/proxy/hosts/service.ts';
import { toHex } from '../../src/shared/bytes.ts';
import type { ImageRules, NetworkSettings, NewImage } from '../../src/shared/messages.ts';
import { chatBody } from '../support/e2e/chat.ts';
import { identityFor, openCompanyProxy, openFileServer } from '../support/e2e/companyProxy.ts';
import { EventQueue } from '../support/e2e/eventQueue.ts';
import { sendRequest } from '../support/e2e/httpClient.ts';
import { perTest } from '../support/e2e/scope.ts';
import type { InternalProxy } from '../support/e2e/scope.ts';
import { HISTORIES, namedOnlyIn } from '../support/histories.ts';
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

describe('The date of an enclave image in the signed history', () => {
  const scope = perTest();
  const HISTORY = new URL(PINS.production.historyUrl);
  const ENCLAVE = 'enclave.elsewhere.example';
  const entries = JSON.parse(HISTORIES.production.toString()) as { PCR0: string; timestamp: number }[];
  const dateOf = (pcr0: string) => (entries.find(({ PCR0 }) => PCR0 === pcr0)?.timestamp ?? 0) * 1000;
  const [listed] = namedOnlyIn('production');
  const pinned = PINS.production.pcr0.at(-1) ?? assert.fail(); // not in the history that is a fixture
  let downloads: readonly string[];
  let verified: EventQueue<ServiceEvent>;

  /** A proxy whose enclave runs this image. */
  const start = async (pcr0: string, images: ImageRules) => {
    const tls = identityFor(ENCLAVE, HISTORY.hostname);
    const enclave = await scope.enclave({ tls, signed: { pcr0: Buffer.from(pcr0, 'hex') } });
    const files = await openFileServer(tls, { [HISTORY.pathname]: HISTORIES.production });
    scope.onClose(() => files.close());
    const company = await openCompanyProxy({
      [`${ENCLAVE}:443`]: enclave.port,
      [`${HISTORY.hostname}:443`]: files.port,
    });
    scope.onClose(() => company.close());
    downloads = files.requests;
    verified = new EventQueue();
    return scope.internalProxy(
      { url: `https://${ENCLAVE}` },
      {},
      {
        network: { certificates: [tls.ca], httpsProxy: company.url },
        internals: { anchors: enclave.anchors },
        onEvent: (event) => {
          verified.add(event);
        },
        images,
      },
    );
  };
  /** The first date that the proxy reports: null for none. */
  const date = async () => {
    const event = await verified.find(
      'the date',
      ({ type, ...rest }) =>
        type === 'verified' &&
        'verified' in rest &&
        rest.verified.kind === 'verified' &&
        rest.verified.listedSince !== undefined,
    );
    return event.type === 'verified' && event.verified.kind === 'verified' ? event.verified.listedSince : undefined;
  };

  it('is reported for an image that the history has approved', async () => {
    await start(listed, { ...KNOWN, confirm: false });
    assert.equal(await date(), dateOf(listed));
  });

  it('is looked up for a pinned image in the background if the image has changed', async () => {
    await start(pinned, { ...KNOWN, confirm: false });
    const first = await verified.find('the session', ({ type }) => type === 'verified');
    assert.ok(first.type === 'verified' && first.verified.kind === 'verified');
    assert.equal(first.verified.listedSince, undefined, 'the session does not wait for the date');
    assert.equal(await date(), null);
    assert.deepEqual(downloads, [HISTORY.pathname]);
  });

  it('is not looked up for a pinned image that has not changed', async () => {
    await start(pinned, { ...KNOWN, confirm: false, last: pinned });
    assert.equal(await date(), null);
    assert.deepEqual(downloads, []);
  });

  it('is part of the question about a new image', async () => {
    for (const pcr0 of [listed, pinned]) {
      await start(pcr0, KNOWN);
      const event = await verified.find('the question', ({ type }) => type === 'confirmImage');
      assert.ok(event.type === 'confirmImage');
      assert.equal(event.image.listedSince, pcr0 === pinned ? null : dateOf(pcr0));
      assert.deepEqual(downloads, [HISTORY.pathname]);
    }
  });
});

describe('A new enclave image', () => {
  const scope = perTest();
  let enclave: RunningEnclave;
  let events: EventQueue<ServiceEvent>;

  beforeEach(async () => {
    enclave = await scope.enclave({ tls: TLS, signed: { moduleId: 'i-1-enc2' } });
    events = new EventQueue();
  });

  const start = (
    images?: ImageRules,
    settings: Record<string, string> = {},
    network: NetworkSettings = {},
  ): Promise<InternalProxy> =>
    scope.internalProxy(
      enclave,
      { PROXY_ADDITIONAL_PCR0: `${OLD},${NEW}`, ...settings },
      {
        network: { certificates: [TLS.ca], ...network },
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

  for (const [name, rules] of [
    ['has refused it', { ...KNOWN, accepted: [OLD], refused: [NEW] }],
    ['wants to be asked again', KNOWN],
  ] as const) {
    it(`gets no further request on the session in use once the user ${name}`, async () => {
      enclave.setImage(Buffer.from(NEW, 'hex'));
      const proxy = await start({ ...KNOWN, confirm: rules === KNOWN ? false : true, accepted: [OLD, NEW] });
      assert.equal((await chat(proxy)).status, 200);
      const before = received();
      proxy.updateImages(rules);
      const next = chat(proxy);
      await question(rules.refused.length > 0);
      await flushEventLoop();
      assert.equal(received(), before);
      proxy.updateImages({ ...KNOWN, accepted: [OLD, NEW] });
      await next;
    });
  }

  it('is refused if nothing approves it, although the user has accepted it', async () => {
    enclave.setImage(Buffer.from(NEW, 'hex'));
    for (const rules of [{ ...KNOWN, accepted: [OLD, NEW] }, { ...KNOWN, confirm: false }, FIRST]) {
      // The history would be fetched through a proxy that does not exist; the enclave is reached directly.
      const proxy = await start(rules, { PROXY_ADDITIONAL_PCR0: OLD }, { httpsProxy: 'http://127.0.0.1:9' });
      assert.equal((await chat(proxy)).status, 502);
      const { code } = await proxy.log.find('the log line', ({ event }) => event === 'handshake_failed');
      assert.equal(code, 'history_unavailable');
    }
    const questions = events.items.filter(({ type }) => type === 'confirmImage');
    assert.deepEqual([received(), enclave.journal.rejections, questions], [0, [], []]);
  });

  it('is named as the reason when a request has waited for its own time limit', async () => {
    for (const rules of [KNOWN, FIRST]) {
      const proxy = await start(rules, { PROXY_REQUEST_TIMEOUT_SECS: '3' });
      if (rules === FIRST) assert.equal((await chat(proxy)).status, 200);
      update(); // of the second proxy, a session ends
      const before = received();
      for (const response of await Promise.all(REQUESTS.map((request) => send(proxy, request)))) {
        assert.equal(response.status, 502);
        assert.match(response.body.toString(), /The enclave runs a new image, and nobody has confirmed it yet/);
      }
      assert.equal(received(), before);
      await proxy.stop(0);
      enclave.setImage(DEVELOPMENT_PCR0);
    }
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

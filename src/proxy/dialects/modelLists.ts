// The backend's lists of models: each API key may see another one.
import { hash } from 'node:crypto';
import { encodeMetadata } from '../../session/envelope.ts';
import { parseJson } from '../../shared/json.ts';
import { Relay } from '../relay/relay.ts';
import type { RelayContext } from '../relay/relay.ts';
import { RequestEntry } from '../relay/requestLog.ts';
import type { UpstreamKey } from '../server/accessKeys.ts';
import { CollectedResponse } from './collectedResponse.ts';
import type { Collected } from './collectedResponse.ts';

/** In milliseconds: a list is used at once, while an older one than this is loaded again in the background. */
const FRESH = 300_000;
/** The same after a failure. */
const RETRY = 30_000;
/** In milliseconds: an older list is not used. */
const MAX_AGE = 3_600_000;
/** Keys that are remembered. */
const MAX_LISTS = 8;
/** In bytes. */
const MAX_LENGTH = 4 * 1024 * 1024;

const MODELS = '/v1/models';
const INVALID: Collected = {
  status: 502,
  headers: [],
  text: JSON.stringify({ error: { message: 'The backend sent a list of models that is not valid. Try again.' } }),
};
/** Requests of the proxy itself have no place and are not counted. */
const NO_PLACE = { keep: () => true, releaseBody: () => undefined, end: () => undefined };
const NO_METER = { start: () => undefined, chunk: () => undefined, refuse: () => undefined };

type Fetched = Pick<RequestEntry, 'end' | 'detail'> & { readonly response: Collected };

/** There is a response in place of a list. */
export class ModelListFailure extends Error {
  readonly response: Collected;
  /** As in the log entry of a request. */
  readonly end: string;
  readonly detail: string | null;

  constructor({ response, end, detail }: Fetched) {
    super('The backend did not send a list of models');
    this.name = 'ModelListFailure';
    this.response = response;
    this.end = end;
    this.detail = detail;
  }
}

interface Entry {
  list: unknown;
  /** Undefined: there is no list yet. */
  loadedAt: number | undefined;
  reloadAt: number;
  loading: Promise<unknown> | undefined;
}

export class ModelLists {
  readonly #now: () => number;
  /** By the digest of the API key. The latest one is the last. */
  readonly #entries = new Map<string, Entry>();

  /** @param now the monotonic time in milliseconds */
  constructor(now: () => number) {
    this.#now = now;
  }

  /**
   * The parsed body of `GET /v1/models` with this key.
   * @param context for the request to the backend, if there must be one
   * @throws (rejection) ModelListFailure
   */
  async get(key: UpstreamKey, context: RelayContext): Promise<unknown> {
    const entry = this.#entryOf(key);
    const now = this.#now();
    if (entry.loadedAt === undefined || now - entry.loadedAt > MAX_AGE) return this.#load(entry, key, context);
    if (now >= entry.reloadAt) this.#load(entry, key, context).catch(() => undefined);
    return entry.list;
  }

  /** The same, but always as the backend has it now. */
  reload(key: UpstreamKey, context: RelayContext): Promise<unknown> {
    return this.#load(this.#entryOf(key), key, context);
  }

  #entryOf({ value }: UpstreamKey): Entry {
    const digest = hash('sha256', value, 'base64url');
    const entry = this.#entries.get(digest) ?? { list: null, loadedAt: undefined, reloadAt: 0, loading: undefined };
    this.#entries.delete(digest);
    this.#entries.set(digest, entry);
    const [oldest] = this.#entries.keys();
    if (this.#entries.size > MAX_LISTS && oldest !== undefined) this.#entries.delete(oldest);
    return entry;
  }

  #load(entry: Entry, key: UpstreamKey, context: RelayContext): Promise<unknown> {
    entry.loading ??= fetchModels(key, context)
      .then((fetched) => {
        const { response } = fetched;
        const list = response.status === 200 ? parseJson(response.text) : undefined;
        const isRefused = response.status === 401 || response.status === 403;
        if (isRefused) entry.loadedAt = undefined;
        entry.reloadAt = this.#now() + (list === undefined ? RETRY : FRESH);
        if (list === undefined) {
          throw new ModelListFailure(response.status === 200 ? { ...fetched, response: INVALID } : fetched);
        }
        entry.list = list;
        entry.loadedAt = this.#now();
        return list;
      })
      .finally(() => {
        entry.loading = undefined;
      });
    return entry.loading;
  }
}

/** Sends the request over the session, as a client's would be sent. */
function fetchModels({ value: credential, accessKeyId }: UpstreamKey, context: RelayContext): Promise<Fetched> {
  const { promise, resolve } = Promise.withResolvers<Fetched>();
  const entry = new RequestEntry('GET', MODELS);
  const res = new CollectedResponse(MAX_LENGTH, (response = INVALID) => {
    resolve({ response, end: entry.end, detail: entry.detail });
  });
  const metadata = encodeMetadata({
    ...{ credential, cacheNamespaceRoot: null, headers: [], bodyPresent: false },
    ...{ method: 'GET', target: MODELS },
  });
  new Relay(context, {
    ...{ req: null, res, metadata, bodyLength: 0, cors: [], withApiKey: accessKeyId !== null, entry },
    ...{ place: NO_PLACE, meter: NO_METER },
  }).send([]);
  return promise;
}

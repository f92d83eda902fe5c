// The backend's lists of models: each API key may see another one.
import { encodeMetadata } from '../../session/envelope.ts';
import { parseJson } from '../../shared/json.ts';
import { isKeyRefusal, modelEntries } from '../../shared/modelList.ts';
import { Relay } from '../relay/relay.ts';
import type { RelayContext } from '../relay/relay.ts';
import { MODELS, digestOf } from '../relay/upstream.ts';
import type { UpstreamKey } from '../relay/upstream.ts';
import { RequestEntry } from '../usage/requestEntry.ts';
import { CollectSink } from './collectSink.ts';
import type { Collected } from './collectSink.ts';
import { untilAborted } from './untilAborted.ts';

/** In milliseconds: a list is used at once, while an older one than this is loaded again in the background. */
const FRESH = 300_000;
/** The same after a failure. */
const RETRY = 30_000;
/** In milliseconds: an older list is not used. */
const MAX_AGE = 3_600_000;
/** Keys that are remembered. */
const MAX_LISTS = 8;
/** In bytes. */
const MAX_LENGTH = 2 * 1024 * 1024;

const INVALID: Collected = {
  status: 502,
  headers: [],
  text: JSON.stringify({ error: { message: 'The backend sent a list of models that is not valid. Try again.' } }),
};

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

  /** Whether the backend has refused the key. */
  get refusesKey(): boolean {
    return isKeyRefusal(this.response.status);
  }
}

/** A request for a list that has no response yet. */
interface Loading {
  readonly list: Promise<unknown>;
  /** How many wait for it. */
  waiting: number;
  readonly cancel: () => void;
}

interface Cached {
  readonly list: unknown;
  readonly loadedAt: number;
  reloadAt: number;
}

export class ModelLists {
  readonly #now: () => number;
  /** By the digest of the API key; only keys that the backend accepted. The one that was used last is the last. */
  readonly #lists = new Map<string, Cached>();
  readonly #loading = new Map<string, Loading>();

  /** @param now the monotonic time in milliseconds */
  constructor(now: () => number) {
    this.#now = now;
  }

  /**
   * The parsed body of `GET /v1/models` with this key.
   * @param context for the request to the backend, if there must be one
   * @param signal of the client: when all that wait for a list have gone, the request for it is cancelled
   * @throws (rejection) ModelListFailure
   */
  async get(key: UpstreamKey, context: RelayContext, signal: AbortSignal): Promise<unknown> {
    const digest = digestOf(key.value);
    const cached = this.#lists.get(digest);
    const now = this.#now();
    if (cached === undefined || now - cached.loadedAt > MAX_AGE) return this.#load(digest, key, context, signal);
    this.#keep(digest, cached);
    if (now >= cached.reloadAt) this.#load(digest, key, context).catch(() => undefined);
    return cached.list;
  }

  /** The same, but always as the backend has it now. */
  reload(key: UpstreamKey, context: RelayContext, signal: AbortSignal): Promise<unknown> {
    return this.#load(digestOf(key.value), key, context, signal);
  }

  /** Whether one of the lists that were loaded has a model with this ID. */
  includes(id: string): boolean {
    return [...this.#lists.values()].some(({ list }) => modelEntries(list).some((model) => model['id'] === id));
  }

  /** Requests for the same list share one request to the backend. */
  async #load(digest: string, key: UpstreamKey, context: RelayContext, signal?: AbortSignal): Promise<unknown> {
    const loading = this.#loading.get(digest) ?? this.#begin(digest, key, context);
    loading.waiting++;
    try {
      return await (signal === undefined ? loading.list : untilAborted(loading.list, signal));
    } finally {
      if (--loading.waiting === 0) loading.cancel();
    }
  }

  #begin(digest: string, key: UpstreamKey, context: RelayContext): Loading {
    const { fetched, relay } = fetchModels(key, context);
    const forget = () => {
      if (this.#loading.get(digest) === loading) this.#loading.delete(digest);
    };
    const list = fetched.then((result) => {
      forget();
      return this.#read(digest, result);
    });
    const loading: Loading = {
      list,
      waiting: 0,
      cancel: () => {
        forget();
        relay.clientGone(); // without an effect after the response
      },
    };
    this.#loading.set(digest, loading);
    return loading;
  }

  #read(digest: string, fetched: Fetched): unknown {
    const { status, text } = fetched.response;
    const list = status === 200 ? parseJson(text) : undefined;
    const now = this.#now();
    if (list !== undefined) {
      this.#keep(digest, { list, loadedAt: now, reloadAt: now + FRESH });
      return list;
    }
    const cached = this.#lists.get(digest);
    if (isKeyRefusal(status)) this.#lists.delete(digest);
    else if (cached !== undefined) cached.reloadAt = now + RETRY;
    throw new ModelListFailure(status === 200 ? { ...fetched, response: INVALID } : fetched);
  }

  #keep(digest: string, cached: Cached): void {
    this.#lists.delete(digest);
    this.#lists.set(digest, cached);
    const [oldest] = this.#lists.keys();
    if (this.#lists.size > MAX_LISTS && oldest !== undefined) this.#lists.delete(oldest);
  }
}

/** Sends the request over the session, as a client's would be sent. */
function fetchModels(
  { value: credential, accessKeyId }: UpstreamKey,
  context: RelayContext,
): { readonly fetched: Promise<Fetched>; readonly relay: Relay } {
  const { promise: fetched, resolve } = Promise.withResolvers<Fetched>();
  const entry = new RequestEntry('GET', MODELS);
  const sink = new CollectSink(MAX_LENGTH, (response) => {
    resolve({ response: response ?? INVALID, end: entry.end, detail: entry.detail });
    if (response === undefined) relay.clientGone();
  });
  const metadata = encodeMetadata({
    credential,
    cacheNamespaceRoot: null,
    method: 'GET',
    target: MODELS,
    headers: [],
    bodyPresent: false,
  });
  const relay = new Relay(context, { metadata, withApiKey: accessKeyId !== null, entry, openSink: () => sink });
  relay.send([]);
  return { fetched, relay };
}

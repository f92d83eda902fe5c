// What the metrics count and measure. Their names are those of OpenTelemetry's conventions for generative AI, where these
// have one, in the spelling of its exporter for Prometheus. docs/metrics.md lists them.
import type { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { DIRECT } from '../../shared/usage.ts';
import { VERSION } from '../../shared/version.ts';
import type { ConnectionEvent } from '../backend/connection.ts';
import type { RequestEntry } from '../usage/requestEntry.ts';
import {
  HANDSHAKE_RESULTS,
  OTHER,
  REFUSALS,
  clientLabel,
  errorLabel,
  handshakeResult,
  modelLabel,
  operationOf,
  statusLabel,
} from './labels.ts';

/** What the metrics can ask the running proxy. */
export interface ObservedService {
  /** How long the live session can still be used, in milliseconds; 0 without one. */
  readonly sessionRemaining: () => number;
  /** Whether a list of models that the proxy has loaded contains this one. */
  readonly isModel: (model: string) => boolean;
  /** Loads the list of models with the API key of the proxy; without one, it does nothing. */
  readonly loadModels: () => Promise<unknown>;
}

/** Is told of what happens in a running proxy. */
export interface ServiceObserver {
  begin(service: ObservedService): void;
  /** The names of the clients that have an access key from now on. */
  clientsChanged(names: Iterable<string>): void;
  connectionEvent(event: ConnectionEvent): void;
  requestEnded(entry: RequestEntry): void;
}

/** The buckets that the conventions ask for. */
const SECONDS = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92];
const TOKENS = Array.from({ length: 14 }, (_, index) => 4 ** index);

const CLIENT = ['client', 'gen_ai_request_model', 'http_route'] as const;
const END = ['http_response_status_code', 'outcome', 'error_type'] as const;
const REQUEST = [...CLIENT, ...END] as const;
const OPERATION = [...CLIENT, 'gen_ai_operation_name'] as const;
const DURATION = [...OPERATION, 'error_type'] as const;
const TOKEN = [...OPERATION, 'gen_ai_token_type'] as const;
const IMAGE = ['pcr0', 'approved_by', 'environment'] as const;

/** Metrics of the library for which each scrape would list all connections; their names break Prometheus's rules, too. */
const LISTS = ['handles', 'requests', 'resources'].flatMap((what) => [
  `nodejs_active_${what}`,
  `nodejs_active_${what}_total`,
]);

/** The list of models is loaded for a name that it does not have, but not again within this time, in milliseconds. */
const RELOAD_INTERVAL = 60_000;

/** Loads the library, which a proxy without metrics does not need. */
export async function createMetrics(now: () => number = Date.now): Promise<Metrics> {
  return new Metrics(await import('prom-client'), now);
}

export class Metrics implements ServiceObserver {
  readonly #now: () => number;
  readonly #registry: Registry;
  readonly #requests: Counter<(typeof REQUEST)[number]>;
  readonly #refusals: Counter<(typeof END)[number]>;
  readonly #durations: Histogram<(typeof DURATION)[number]>;
  readonly #firstChunks: Histogram<(typeof OPERATION)[number]>;
  readonly #tokens: Histogram<(typeof TOKEN)[number]>;
  readonly #handshakes: Counter<'result'>;
  readonly #imageChanges: Counter;
  readonly #image: Gauge<(typeof IMAGE)[number]>;
  #service: ObservedService | undefined;
  #clients: ReadonlySet<string> = new Set();
  #establishedAt: number | undefined;
  #pcr0: string | undefined;
  /** Milliseconds since 1970; undefined without a session with a verified enclave. */
  #certificateEnd: number | undefined;
  #loading: Promise<unknown> | undefined;
  #loadedAt = -Infinity;
  #scrape: Promise<string> | undefined;

  /** @param now the time in milliseconds since 1970 */
  constructor(library: typeof import('prom-client'), now: () => number) {
    const { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } = library;
    this.#now = now;
    this.#registry = new Registry();
    const registers = [this.#registry];
    collectDefaultMetrics({ register: this.#registry });
    for (const name of LISTS) this.#registry.removeSingleMetric(name);
    this.#requests = new Counter({
      name: 'sealed_proxy_requests_total',
      help: 'Requests that are over, but not probes and preflights.',
      labelNames: REQUEST,
      registers,
    });
    this.#refusals = new Counter({
      name: 'sealed_proxy_refusals_total',
      help: 'Requests that the proxy refused, and those for which the backend refused the API key of the proxy.',
      labelNames: END,
      registers,
    });
    for (const labels of REFUSALS) this.#refusals.inc(labels, 0); // the first one is an increase, too
    this.#durations = new Histogram({
      name: 'gen_ai_client_operation_duration_seconds',
      help: 'Time from the head of a request that the proxy did not refuse to its end.',
      labelNames: DURATION,
      buckets: SECONDS,
      registers,
    });
    this.#firstChunks = new Histogram({
      name: 'gen_ai_client_operation_time_to_first_chunk_seconds',
      help: 'Time from the head of a request to the first chunk of the stream that answers it.',
      labelNames: OPERATION,
      buckets: SECONDS,
      registers,
    });
    this.#tokens = new Histogram({
      name: 'gen_ai_client_token_usage',
      help: 'Tokens of a request, as its response reports them.',
      labelNames: TOKEN,
      buckets: TOKENS,
      registers,
    });
    this.#handshakes = new Counter({
      name: 'sealed_proxy_handshakes_total',
      help: 'Handshakes with the enclave, which verify it.',
      labelNames: ['result'],
      registers,
    });
    for (const result of HANDSHAKE_RESULTS) this.#handshakes.inc({ result }, 0); // the same
    this.#imageChanges = new Counter({
      name: 'sealed_proxy_image_changes_total',
      help: 'Sessions with another enclave image than the previous session.',
      registers,
    });
    this.#image = new Gauge({
      name: 'sealed_proxy_image_info',
      help: 'The enclave image of the latest session with a verified enclave.',
      labelNames: IMAGE,
      registers,
    });
    const remaining = () => this.#service?.sessionRemaining() ?? 0;
    const certificateEnd = () => (remaining() > 0 ? this.#certificateEnd : undefined);
    new Gauge({
      name: 'sealed_proxy_session_remaining_seconds',
      help: 'Time until the session with the enclave ends; 0 without one.',
      registers,
      collect() {
        this.set(remaining() / 1000);
      },
    });
    new Gauge({
      name: 'sealed_proxy_certificate_remaining_seconds',
      help: 'Time until the certificate ends that the enclave presented for the session; absent without one.',
      registers,
      collect() {
        const end = certificateEnd();
        if (end === undefined) this.remove();
        else this.set((end - now()) / 1000);
      },
    });
    new Gauge({ name: 'sealed_proxy_info', help: 'The version.', labelNames: ['version'], registers }).set(
      { version: VERSION },
      1,
    );
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  /** The metrics in Prometheus's text format. Scrapes at the same time share one text. */
  text(): Promise<string> {
    this.#scrape ??= this.#registry.metrics().finally(() => {
      this.#scrape = undefined;
    });
    return this.#scrape;
  }

  begin(service: ObservedService): void {
    this.#service = service;
  }

  clientsChanged(names: Iterable<string>): void {
    this.#clients = new Set(names);
  }

  connectionEvent(event: ConnectionEvent): void {
    if (event.type === 'handshakeFailed') this.#handshakes.inc({ result: handshakeResult(event.code) });
    else if (event.type === 'sessionLost') this.#certificateEnd = undefined;
    if (event.type !== 'verified' || event.establishedAt === this.#establishedAt) return; // some come twice
    this.#establishedAt = event.establishedAt;
    this.#handshakes.inc({ result: 'success' });
    const { verified } = event;
    this.#certificateEnd = verified.kind === 'verified' ? verified.certificateNotAfter : undefined;
    if (verified.kind !== 'verified' || verified.pcr0 === this.#pcr0) return;
    if (this.#pcr0 !== undefined) this.#imageChanges.inc();
    const { pcr0, approvedBy, environment } = verified;
    this.#pcr0 = pcr0;
    this.#image.reset();
    this.#image.set({ pcr0, approved_by: approvedBy, environment }, 1);
  }

  requestEnded(entry: RequestEntry): void {
    const isPreflight = entry.method === 'OPTIONS' && entry.status === 204;
    if (entry.routine || isPreflight) return;
    const record = entry.record(0, '', true);
    const label = () => modelLabel(record, (model) => this.#service?.isModel(model) ?? false);
    const count = () => {
      this.#count(entry, record, label());
    };
    const isFromBackend = record.outcome === 'answered' || record.outcome === 'failed';
    const loading = isFromBackend && label() === OTHER ? this.#loadModels() : undefined;
    if (loading === undefined) count();
    else void loading.then(count);
  }

  #count(entry: RequestEntry, record: ReturnType<RequestEntry['record']>, model: string): void {
    const { outcome } = entry;
    const labels = {
      client: clientLabel(entry.client, this.#clients),
      gen_ai_request_model: model,
      http_route: entry.path,
    };
    const error = given('error_type', errorLabel(entry));
    const end = { ...given('http_response_status_code', statusLabel(entry.status)), outcome, ...error };
    this.#requests.inc({ ...labels, ...end });
    const refusesKey = outcome === 'failed' && entry.status === 401 && entry.client !== DIRECT;
    if (outcome === 'refused' || refusesKey) this.#refusals.inc(end);
    const operation = operationOf(entry.path);
    if (operation === undefined || outcome === 'refused') return;
    const asked = { ...labels, gen_ai_operation_name: operation };
    this.#durations.observe({ ...asked, ...error }, record.durationMs / 1000);
    if (entry.isStream && record.firstByteMs !== null) this.#firstChunks.observe(asked, record.firstByteMs / 1000);
    if (record.tokensIn !== null) this.#tokens.observe({ ...asked, gen_ai_token_type: 'input' }, record.tokensIn);
    if (record.tokensOut !== null) this.#tokens.observe({ ...asked, gen_ai_token_type: 'output' }, record.tokensOut);
  }

  /** Resolves when the list is loaded, or could not be; undefined if it was loaded a moment ago. */
  #loadModels(): Promise<unknown> | undefined {
    if (this.#loading !== undefined) return this.#loading;
    if (this.#service === undefined || this.#now() - this.#loadedAt < RELOAD_INTERVAL) return undefined;
    this.#loadedAt = this.#now();
    this.#loading = this.#service
      .loadModels()
      .catch(() => undefined)
      .finally(() => {
        this.#loading = undefined;
      });
    return this.#loading;
  }
}

/** A label that is left out if it has no value. */
function given<Name extends string>(name: Name, value: string | undefined): Partial<Record<Name, string>> {
  return value === undefined ? {} : ({ [name]: value } as Record<Name, string>);
}

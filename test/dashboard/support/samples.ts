// What the extension may send to the dashboard, in the states that its tests show: made by the extension's own code.
import { readFileSync } from 'node:fs';
import type { ChatModel } from '../../../src/chat/models.ts';
import { attestationSection } from '../../../src/dashboard/attestation.ts';
import { connectionSection } from '../../../src/dashboard/connection.ts';
import type { ToDashboard } from '../../../src/dashboard/messages.ts';
import type {
  AttestationSection,
  ClientRow,
  DashboardState,
  Measure,
  NamedRequest,
  PromptsSection,
  UsageView,
} from '../../../src/dashboard/model.ts';
import type { KeyOrigin } from '../../../src/keys/accessKeys.ts';
import type { Evidence } from '../../../src/shared/evidence.ts';
import type { RunningStatus } from '../../../src/shared/status.ts';
import { fromRoot } from '../../support/e2e/process.ts';
import { requestRecord } from '../../support/requestRecords.ts';
import { VERIFIED, runningStatus, unreachableStatus } from '../../support/statuses.ts';
import {
  DEVELOPMENT,
  DEVELOPMENT_PROMPTS,
  NO_KEY,
  NO_KEY_PROMPTS,
  PROMPTS,
  REFUSED_PROMPTS,
  SEALED_SIDE_PROMPTS,
  UNREACHABLE,
  UNREACHABLE_PROMPTS,
  sidePromptsOf,
} from './promptSamples.ts';

const HOUR = 60 * 60 * 1000;
const DAY = 24 * HOUR;

const MODELS: readonly ChatModel[] = [
  {
    ...{ id: 'llama-3.3-70b', name: 'Llama 3.3 70B', maxInputTokens: 114_688, maxOutputTokens: 16_384 },
    ...{ tools: true, images: false, reasoning: false },
  },
  {
    ...{ id: 'gpt-oss-120b', name: 'GPT-OSS 120B', maxInputTokens: 98_304, maxOutputTokens: 32_768 },
    ...{ tools: true, images: false, reasoning: true },
  },
  {
    ...{ id: 'qwen3-vl-30b', name: 'qwen3-vl-30b', maxInputTokens: 229_376, maxOutputTokens: 32_768 },
    ...{ tools: true, images: true, reasoning: true },
  },
];

const ACCEPTED = evidence('pin');
const REFUSED = evidence('refused-image');

function evidence(name: string): Evidence {
  return JSON.parse(readFileSync(fromRoot(`test/fixtures/evidence/${name}.json`), 'utf8')) as Evidence;
}

/** The age of each certificate of the chain, and how long it is valid yet; the leaf comes last. */
const LIFETIMES = [
  [7 * 365 * DAY, 23 * 365 * DAY],
  [6 * DAY, 14 * DAY],
  [20 * HOUR, 6 * DAY],
  [HOUR, 2 * HOUR],
] as const;

/** As if the handshake had been now. */
function attestation(status: RunningStatus, found: Evidence | null, now: number): AttestationSection {
  const section = attestationSection(status, found);
  const chain = section.chain.map((certificate, index) => {
    const [age, rest] = LIFETIMES[index] ?? [0, 0];
    return { ...certificate, validFrom: now - age, validTo: now + rest };
  });
  return { ...section, chain };
}

function state(
  status: RunningStatus,
  prompts: PromptsSection,
  now: number,
  found: Evidence | null = null,
  sidePrompts = sidePromptsOf(),
): DashboardState {
  const connection = connectionSection(status, {});
  const isConnected = status.health.kind === 'connected';
  return {
    connection: { ...connection, chatModels: isConnected ? MODELS : [], otherModels: [] },
    offeredModels: isConnected ? MODELS.map(({ id }) => id) : [],
    prompts,
    sidePrompts,
    attestation: attestation(status, found, now),
    clients: clients(now),
  };
}

const BACKEND = ACCEPTED.backend;

export function verifiedState(now: number): DashboardState {
  const verified = { ...VERIFIED, pcr0: ACCEPTED.pcr0 ?? '', document: ACCEPTED.attestationDocument };
  return state(runningStatus({ backendUrl: BACKEND, verified }), PROMPTS, now, ACCEPTED);
}

export function refusedState(now: number): DashboardState {
  const message = `The attestation failed: PCR0 ${REFUSED.pcr0 ?? ''} is not approved`;
  const failure = { at: now, code: 'attestation_refused', detail: 'pcr0_not_approved', message };
  const status = unreachableStatus('pcr0', { message, failure, retryAt: null });
  return state({ ...status, backendUrl: BACKEND }, REFUSED_PROMPTS, now, REFUSED, SEALED_SIDE_PROMPTS);
}

export function developmentState(now: number): DashboardState {
  const verified = { kind: 'development', moduleId: 'i-dev' } as const;
  return state({ ...DEVELOPMENT, verified }, DEVELOPMENT_PROMPTS, now, null, sidePromptsOf({ attested: false }));
}

export function unreachableState(now: number): DashboardState {
  return state(UNREACHABLE, UNREACHABLE_PROMPTS, now);
}

export function noKeyState(now: number): DashboardState {
  return state(NO_KEY, NO_KEY_PROMPTS, now, null, sidePromptsOf({ models: [] }));
}

export function clients(now: number): readonly ClientRow[] {
  const key = (id: string, origin: KeyOrigin, createdAt: number, lastUsedAt: number | null): ClientRow['key'] => {
    return { id, origin, createdAt, firstUsedAt: lastUsedAt && createdAt, lastUsedAt };
  };
  return [
    {
      name: 'Claude Code',
      key: key('claude', 'assistant', now - 40 * DAY, now - 30_000),
      config: {
        id: 'claude',
        tone: 'good',
        state: 'Connected, model llama-3.3-70b',
        actions: ['check', 'undo'],
        note: 'The test request was answered after 1.2 s.',
      },
    },
    {
      name: 'Codex',
      key: key('codex', 'assistant', now - 12 * DAY, now - 5 * HOUR),
      config: {
        id: 'codex',
        tone: 'warning',
        state: 'Uses an outdated address',
        actions: ['repair', 'undo'],
        note: '',
      },
    },
    {
      name: 'Cline',
      key: key('cline', 'assistant', now - 60_000, null),
      config: { id: 'cline', tone: 'good', state: 'Connected', actions: ['check', 'undo'], note: '' },
    },
    { name: 'nightly scripts', key: key('scripts', 'user', now - 3 * DAY, now - 3 * 60_000), config: null },
  ];
}

const CLIENTS = ['VS Code', 'Claude Code', 'Codex', 'Cline', 'nightly scripts'];
const PATHS = [
  '/v1/chat/completions',
  '/anthropic/v1/messages',
  '/responses/v1/responses',
  '/v1/chat/completions',
  '/v1/embeddings',
];

/** A request that has ended, or is running. */
export function endedRequest(id: number, at: number, part: Partial<NamedRequest> = {}): NamedRequest {
  const failed = id % 17 === 0;
  const record = requestRecord({
    id,
    at,
    path: PATHS[id % 5] ?? '',
    model: failed ? null : (MODELS[id % 3]?.id ?? ''),
    status: failed ? 503 : 200,
    firstByteMs: failed ? 40 : 180 + ((id * 13) % 700),
    durationMs: 900 + ((id * 211) % 14_000),
    tokensIn: failed ? null : 1200 + ((id * 997) % 42_000),
    tokensOut: failed ? null : 80 + ((id * 37) % 900),
    tokensCached: id % 3 === 0 && !failed ? 1024 : null,
    outcome: failed ? 'failed' : id % 23 === 0 ? 'cancelled' : 'answered',
    requestedModel: id % 5 === 1 ? 'claude-sonnet-4-5' : (MODELS[id % 3]?.id ?? ''),
  });
  return { ...record, client: CLIENTS[id % 5] ?? '', ...part };
}

export function runningRequest(id: number, at: number, durationMs: number): NamedRequest {
  const tokens = { tokensIn: null, tokensOut: null, tokensCached: null };
  return endedRequest(id, at, { ...tokens, status: 200, firstByteMs: 320, durationMs, outcome: null, end: '' });
}

export function requests(now: number, count: number, running = 3): Extract<ToDashboard, { type: 'requests' }> {
  const ended = Array.from({ length: count - running }, (_, index) =>
    endedRequest(index + 1, now - (count - index) * 47_000),
  );
  const live = Array.from({ length: running }, (_, index) =>
    runningRequest(count - running + index + 1, now - 4000, 4000),
  );
  return { type: 'requests', reset: true, requests: [...ended, ...live] };
}

/** Requests that failed for several reasons, among others. */
export function failures(now: number): Extract<ToDashboard, { type: 'requests' }> {
  const none = { model: null, firstByteMs: null, tokensIn: null, tokensOut: null, tokensCached: null, durationMs: 212 };
  const broken = { ...none, outcome: 'broken', status: 502 } as const;
  const changes: readonly Partial<NamedRequest>[] = [
    { ...broken, end: 'network', detail: 'ENOTFOUND' },
    { ...none, outcome: 'failed', status: 401, caller: '0123456789abcdef' },
    {},
    { ...none, outcome: 'refused', status: 404, requestedModel: 'gpt-9' },
    { ...broken, end: 'attestation_refused', detail: 'pcr0_not_approved' },
    { outcome: 'broken', status: 200, end: 'truncated' },
    { outcome: 'cancelled', end: 'client-gone' },
    { ...none, outcome: 'refused', status: 401, client: 'No valid key', requestedModel: null },
    { outcome: null, end: '', tokensOut: null },
  ];
  const rows = changes.map((change, index) => endedRequest(index + 1, now - (9 - index) * 61_000, change));
  return { type: 'requests', reset: true, requests: rows };
}

export function usage(now: number, part: Partial<UsageView> = {}): Extract<ToDashboard, { type: 'usage' }> {
  const { range = 'day', by = 'client' } = part;
  const [step, count] = range === 'quarter' ? [DAY, 90] : [HOUR, range === 'week' ? 168 : 48];
  const last = Math.floor(now / step) * step;
  const times = Array.from({ length: count }, (_, index) => last - (count - 1 - index) * step);
  const names = by === 'client' ? CLIENTS : MODELS.map(({ id }) => id);
  // Working hours, with a different weight for each series.
  const requestsOf = (index: number, at: number): number => {
    const hour = new Date(at).getUTCHours();
    const works = range === 'quarter' ? new Date(at).getUTCDay() % 6 !== 0 : hour > 6 && hour < 18;
    return works ? Math.round(((at / step) * (index + 3)) % (17 - index * 3)) : index === 4 && hour === 2 ? 6 : 0;
  };
  const samples = names.map((name, index) => {
    const counts = times.map((at) => requestsOf(index, at));
    return {
      name,
      requests: counts,
      errors: counts.map((value, hour) => (value > 0 && (hour * 7 + index) % 11 === 0 ? 1 : 0)),
      tokensIn: counts.map((value) => value * 8700),
      tokensOut: counts.map((value) => value * 620),
    };
  });
  const { series = samples } = part;
  const total = (measure: Measure): number => series.flatMap((one) => one[measure]).reduce((a, b) => a + b, 0);
  const latency = (factor: number) =>
    times.map((at, index) =>
      series.some(({ requests: counts }) => (counts[index] ?? 0) > 0)
        ? factor * (300 + (((at / step) * 37) % 260))
        : null,
    );
  const view: UsageView = {
    range,
    by,
    recording: true,
    today: { requests: 128, errors: 3, tokensIn: 1_113_600, tokensOut: 79_360, tokensCached: 204_800 },
    since: series.length === 0 ? null : (times[0] ?? null),
    totals: {
      requests: total('requests'),
      errors: total('errors'),
      tokensIn: total('tokensIn'),
      tokensOut: total('tokensOut'),
      tokensCached: Math.floor(total('tokensIn') / 4),
    },
    firstByte: 430,
    times,
    series,
    median: latency(1),
    percentile95: latency(3.2),
    ...part,
  };
  return { type: 'usage', view };
}

// Checks of the connection to the enclave, and of its responses.
import { chatModels, embeddingModel, ignoredEfforts } from '../chat/models.ts';
import { readText } from '../chat/responseText.ts';
import { readRefusal, sendTestRequest } from '../chat/testRequest.ts';
import type { RefusedRequest } from '../chat/testRequest.ts';
import { keySource } from '../presentation/apiKeyText.ts';
import { STEPS, stepOutcomes } from '../presentation/attestationSteps.ts';
import type { StepOutcome } from '../presentation/attestationSteps.ts';
import { CAUSES, remedyOf } from '../presentation/causes.ts';
import { describeStatus } from '../presentation/statusText.ts';
import { shortened } from '../presentation/text.ts';
import { fieldsOf, parseJson } from '../shared/json.ts';
import { isConnected } from '../shared/status.ts';
import type { ProxyStatus, RunningStatus } from '../shared/status.ts';
import type { VerifiedConnection } from '../supervisor/localProxy.ts';
import { RUN_AGAIN, failed, passed, skipped, whereRemedyIs } from './check.ts';
import type { Check, CheckResult, DiagnosticsContext } from './check.ts';

const DEVELOPMENT = 'You are using a development backend, which is not verified.';
const SEE_CLOCK = 'Failed: see "System clock"';
const SET_CLOCK = "Set this computer's date and time, then run the diagnostics again.";
const SET_KEY = 'Set a new one with "Sealed Proxy: Set API Key".';

export function backendChecks(context: DiagnosticsContext): readonly Check[] {
  const { keys, status, settings } = context;
  const whileRunning = (name: string, run: (running: RunningStatus) => CheckResult): Check => ({
    name,
    run: () => {
      const current = status();
      return current.kind === 'running' ? run(current) : notTested(current);
    },
  });
  return [
    { name: 'API key', run: async () => checkKey((await keys()).hasApiKey, status(), settings().backendUrl) },
    whileRunning('Handshake', checkHandshake),
    ...STEPS.map(({ what }, index) =>
      whileRunning(`Attestation: ${what}`, (running) => checkStep(stepOutcomes(running)[index], running)),
    ),
    whileRunning('System clock', checkClock),
    whileRunning('Models', (running) => checkModels(running, context)),
    { name: 'Streamed response', run: (signal) => checkChat(context, signal) },
    { name: 'Embedding', run: (signal) => checkEmbedding(context, signal) },
  ];
}

function checkKey(hasKey: boolean, status: ProxyStatus, backendUrl: string): CheckResult {
  if (!hasKey) return failed('Not set', `${keySource(backendUrl)} Then run "Sealed Proxy: Set API Key".`);
  if (isConnected(status)) return passed('Set, accepted by the backend');
  if (status.kind === 'running' && status.health.kind === 'keyRejected') {
    return failed('Set, but refused by the backend: it is invalid or was deleted', SET_KEY);
  }
  return skipped(`Set, but not tested. ${describeStatus(status).headline}`);
}

function notTested(status: ProxyStatus): CheckResult {
  return skipped(`Not tested. ${describeStatus(status).headline}`);
}

function checkHandshake({ verified, establishedAt, health }: RunningStatus): CheckResult {
  const since = establishedAt === null ? '' : `; last successful handshake at ${new Date(establishedAt).toISOString()}`;
  if (verified?.kind === 'verified') return passed(`Verified enclave (${verified.environment})${since}`);
  if (verified !== null) return { ...passed(`Development backend, not verified${since}`), warning: DEVELOPMENT };
  if (health.kind === 'unreachable') {
    const codes = [health.failure?.code, health.failure?.detail].filter((code) => typeof code === 'string');
    const suffix = codes.length === 0 ? '' : ` (${codes.join(', ')})`;
    if (health.cause === 'clock') return failed(`${SEE_CLOCK}${suffix}`, '');
    return failed(`${shortened(health.message)}${suffix}`, remedyOf(health));
  }
  if (health.kind === 'slow') return failed('No response in time', CAUSES.network.remedy);
  if (health.kind === 'noKey') return skipped('Not needed yet: no API key is set');
  return failed('Not finished yet', RUN_AGAIN);
}

function checkStep(step: StepOutcome | undefined, running: RunningStatus): CheckResult {
  const { health, verified } = running;
  switch (step?.result) {
    case 'passed':
      return passed(step.found || 'Passed');
    case 'failed':
      if (health.kind !== 'unreachable') return failed('Failed', CAUSES.attestation.remedy);
      return health.cause === 'clock' ? failed(SEE_CLOCK, '') : failed('Failed', whereRemedyIs(running));
    case 'notReached':
      return skipped('Not reached: an earlier step failed');
    case 'notChecked':
    case undefined:
      if (verified !== null) return skipped('Not verified: the document of a development backend is not signed');
      return skipped(`Not verified: ${health.kind === 'unreachable' ? 'the handshake failed' : 'no attestation yet'}`);
  }
}

const WRONG_CLOCK = ['clock', 'certificate_not_yet_valid', 'certificate_expired'];
/** In milliseconds. Certificates are valid for hours, so a smaller difference does no harm. */
const CLOCK_TOLERANCE = 5 * 60_000;

function checkClock({ verified, establishedAt, health }: RunningStatus): CheckResult {
  if (health.kind === 'unreachable' && WRONG_CLOCK.includes(health.failure?.detail ?? health.cause)) {
    return failed(clockDifference(health.message) ?? shortened(health.message), SET_CLOCK);
  }
  if (verified?.kind !== 'verified' || establishedAt === null) {
    return skipped('Not tested: only a verified enclave has a trusted clock');
  }
  const difference = establishedAt - verified.timestamp;
  const seconds = Math.round(Math.abs(difference) / 1000);
  const finding = `${seconds} s ${difference < 0 ? 'behind' : 'ahead of'} the enclave's clock at the handshake`;
  return Math.abs(difference) <= CLOCK_TOLERANCE ? passed(finding) : failed(finding, SET_CLOCK);
}

/** From the message of `checkValidity()`: "About 5 hours ahead of the enclave's clock". */
function clockDifference(message: string): string | undefined {
  const difference = /clock is (about \d+ [a-z]+ (?:ahead of|behind) the enclave)/.exec(message)?.[1];
  return difference?.replace('about', 'About').concat("'s clock");
}

function checkModels(status: RunningStatus, { modelOverrides }: DiagnosticsContext): CheckResult {
  const { health, verified } = status;
  if (health.kind === 'unreachable' && verified !== null) return failed(health.message, remedyOf(health));
  if (health.kind !== 'connected') return notTested(status);
  const finding = `${health.models.length}, ${chatModels(health.catalogue, modelOverrides()).length} of them for chat`;
  const [warning] = ignoredEfforts(health.catalogue, modelOverrides());
  if (health.models.length > 0) return { ...passed(finding), ...(warning !== undefined && { warning }) };
  return failed(finding, 'The API key does not give access to any model. Check the plan that it belongs to.');
}

async function checkChat(context: DiagnosticsContext, signal: AbortSignal): Promise<CheckResult> {
  const { clock, modelOverrides } = context;
  const find = (catalogue: unknown) => chatModels(catalogue, modelOverrides())[0]?.id;
  return withModel(context, signal, find, 'chat', async (model, connection, accessKey) => {
    const result = await sendTestRequest(connection, accessKey, { model }, clock, signal);
    switch (result.kind) {
      case 'refused':
        return refused(model, result);
      case 'broken':
        return failed(`${model}: the response broke off after ${result.chunks} chunks`, CAUSES.backend.remedy);
      case 'answered': {
        const { firstByte, total, chunks } = result;
        const times = `first byte after ${milliseconds(firstByte)}, complete after ${milliseconds(total)}`;
        return passed(`${model}: ${times}, ${chunks} chunks`);
      }
    }
  });
}

/** The embedding of a short text is much smaller. In characters. */
const MAX_EMBEDDING = 4 * 1024 * 1024;

async function checkEmbedding(context: DiagnosticsContext, signal: AbortSignal): Promise<CheckResult> {
  const { clock } = context;
  return withModel(context, signal, embeddingModel, 'embedding', async (model, connection, accessKey) => {
    const start = clock();
    const response = await connection.check(
      '/v1/embeddings',
      accessKey,
      JSON.stringify({ model, input: 'OK' }),
      signal,
    );
    if (response.statusCode !== 200) return refused(model, await readRefusal(response));
    const dimensions = dimensionsOf(await readText(response, MAX_EMBEDDING));
    if (dimensions === undefined) return failed(`${model}: the response is not an embedding`, CAUSES.backend.remedy);
    return passed(`${model}: ${dimensions} dimensions after ${milliseconds(clock() - start)}`);
  });
}

/** Sends a request to a model that is found in the list of models, if there is one. */
async function withModel(
  context: DiagnosticsContext,
  signal: AbortSignal,
  find: (catalogue: unknown) => string | undefined,
  kind: string,
  check: (model: string, connection: VerifiedConnection, accessKey: string) => Promise<CheckResult>,
): Promise<CheckResult> {
  const status = context.status();
  if (!isConnected(status)) return notTested(status);
  const model = find(status.health.catalogue);
  if (model === undefined) return skipped(`Not tested: the backend lists no ${kind} model`);
  return context.withConnection(async (connection, accessKey) => {
    signal.throwIfAborted();
    return check(model, connection, accessKey);
  });
}

function refused(model: string, { status, code, message }: RefusedRequest): CheckResult {
  const remedy = status === 401 ? SET_KEY : '"Sealed Proxy: Show Log" shows this request with its error code.';
  return failed(`${model}: status ${status}${code && ` (${code})`}. ${message}`, remedy);
}

function dimensionsOf(body: string): number | undefined {
  const data = fieldsOf(parseJson(body))['data'];
  const embedding = Array.isArray(data) ? fieldsOf(data[0])['embedding'] : undefined;
  return Array.isArray(embedding) && embedding.length > 0 ? embedding.length : undefined;
}

function milliseconds(time: number): string {
  return `${Math.round(time)} ms`;
}

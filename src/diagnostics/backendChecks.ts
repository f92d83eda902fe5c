// What can be learnt of the way to the enclave and of what it answers.
import { fieldsOf, parseJson } from '../shared/json.ts';
import type { Cause, ProxyStatus } from '../shared/status.ts';
import { stepOutcomes } from '../presentation/attestationText.ts';
import type { StepOutcome } from '../presentation/attestationText.ts';
import { chatModels, embeddingModel } from '../chat/models.ts';
import { bodyOf, refusalOf, tryChat } from '../chat/testRequest.ts';
import type { TestRequestResult } from '../chat/testRequest.ts';
import type { VerifiedConnection } from '../supervisor/localProxy.ts';
import { shortened } from '../presentation/statusText.ts';
import { check, failed, ok, skipped } from './check.ts';
import type { Check, CheckResult, DoctorContext, Running } from './check.ts';

export function backendChecks(context: DoctorContext): readonly Check[] {
  const { limit, status } = context;
  const whileRunning = (act: (running: Running) => CheckResult) => () => {
    const now = status();
    return now.kind === 'running' ? act(now) : skipped(NOT_RUNNING);
  };
  return [
    check('API key', limit, async () => keyResult((await context.keys()).hasApiKey, status())),
    check('Handshake', limit, whileRunning(handshakeResult)),
    ...stepOutcomes(status()).map(({ what }, index) =>
      check(
        `Attestation: ${what}`,
        limit,
        whileRunning((running) => stepResult(stepOutcomes(running)[index], running)),
      ),
    ),
    check('Clock of this computer', limit, whileRunning(clockResult)),
    check(
      'Models',
      limit,
      whileRunning((running) => modelsResult(running, context)),
    ),
    check('Streamed answer', limit, (signal) => chatResult(context, signal)),
    check('Embedding', limit, (signal) => embeddingResult(context, signal)),
  ];
}

const NOT_RUNNING = 'the proxy is not running';
const SET_KEY = 'Set one with "Sealed Proxy: Set API Key".';

const ADVICE: Readonly<Record<Cause, string>> = {
  network: 'Check the network, sealedProxy.backendUrl and http.proxy.',
  attestation: 'Something between this computer and the enclave is not what it says: try another network.',
  pcr0: 'Update the extension, or add the PCR0 to sealedProxy.additionalPcr0 if you trust that image.',
  clock: 'Set the clock of this computer, best by letting the system keep it, and run this again.',
  protocol: 'Check sealedProxy.backendUrl: what answers there is no enclave, or is out of order.',
  backend: 'Wait a few minutes and run this again.',
};

function keyResult(hasKey: boolean, status: ProxyStatus): CheckResult {
  if (!hasKey) return failed('none is set', SET_KEY);
  if (status.kind === 'running' && status.health.kind === 'connected') return ok('present, accepted');
  if (status.kind === 'running' && status.health.kind === 'keyRejected') {
    return failed('present, refused by the backend: it is invalid or was deleted', 'Set another: "Set API Key".');
  }
  return skipped(`present, not tried: ${whyNotConnected(status)}`);
}

/** Why nothing can be asked of the backend. */
function whyNotConnected(status: ProxyStatus): string {
  if (status.kind !== 'running') return NOT_RUNNING;
  switch (status.health.kind) {
    case 'noKey':
      return 'there is no API key';
    case 'keyRejected':
      return 'the API key is refused';
    case 'checking':
      return 'the connection is still being checked';
    case 'slow':
      return 'the backend did not answer in time';
    case 'unreachable':
    case 'connected':
      return 'the backend does not serve';
  }
}

function handshakeResult({ verified, establishedAt, health }: Running): CheckResult {
  const since = establishedAt === null ? '' : `, made at ${new Date(establishedAt).toISOString()}`;
  if (verified?.kind === 'verified') return ok(`a verified enclave for ${verified.environment}${since}`);
  if (verified !== null) return ok(`a development backend, not verified${since}`);
  if (health.kind === 'unreachable') {
    const codes = [health.failure?.code, health.failure?.detail].filter((code) => typeof code === 'string');
    const named = codes.length === 0 ? '' : ` (${codes.join(', ')})`;
    return failed(`${shortened(health.message)}${named}`, ADVICE[health.cause]);
  }
  if (health.kind === 'slow') return failed('no answer in time', ADVICE.network);
  if (health.kind === 'noKey') return skipped('without an API key, none was needed yet');
  return failed('not made yet', 'Run this again in a few seconds.');
}

function stepResult(step: StepOutcome | undefined, { backendUrl, health }: Running): CheckResult {
  switch (step?.outcome) {
    case 'passed':
      return ok(step.found.replaceAll('`', '') || 'passed');
    case 'refused':
      return failed('refused', health.kind === 'unreachable' ? ADVICE[health.cause] : ADVICE.attestation);
    case 'notReached':
      return skipped('not reached: a step before was refused');
    case 'notChecked':
    case undefined:
      return skipped(backendUrl.startsWith('https:') ? 'no attestation was judged' : 'a development backend');
  }
}

const WRONG_CLOCK = ['clock', 'certificate_not_yet_valid', 'certificate_expired'];
/** In milliseconds. Certificates live for hours: what is below does no harm. */
const TOLERATED = 5 * 60_000;

function clockResult({ verified, establishedAt, health }: Running): CheckResult {
  if (health.kind === 'unreachable' && WRONG_CLOCK.includes(health.failure?.detail ?? health.cause)) {
    return failed(shortened(health.message), ADVICE.clock);
  }
  if (verified?.kind !== 'verified' || establishedAt === null) {
    return skipped('only a verified enclave tells a time that can be believed');
  }
  const apart = establishedAt - verified.timestamp;
  const value = `${Math.round(Math.abs(apart) / 1000)} s ${apart < 0 ? 'behind' : 'ahead of'} the enclave's at the handshake`;
  return Math.abs(apart) <= TOLERATED ? ok(value) : failed(value, ADVICE.clock);
}

function modelsResult(status: Running, { modelOverrides }: DoctorContext): CheckResult {
  const { health, verified } = status;
  if (health.kind === 'unreachable' && verified !== null) return failed(health.message, ADVICE[health.cause]);
  if (health.kind !== 'connected') return skipped(whyNotConnected(status));
  const value = `${health.models.length}, of which ${chatModels(health.catalogue, modelOverrides()).length} chat`;
  if (health.models.length > 0) return ok(value);
  return failed(value, 'The API key may use no model: look at the plan that it belongs to.');
}

/** What the backend lists, or why it does not. */
function catalogueOf(status: ProxyStatus): { readonly list: unknown } | { readonly skip: CheckResult } {
  const connected = status.kind === 'running' && status.health.kind === 'connected' ? status.health : undefined;
  return connected === undefined ? { skip: skipped(whyNotConnected(status)) } : { list: connected.catalogue };
}

async function chatResult(context: DoctorContext, signal: AbortSignal): Promise<CheckResult> {
  const { clock, modelOverrides, status } = context;
  const catalogue = catalogueOf(status());
  if ('skip' in catalogue) return catalogue.skip;
  const [model] = chatModels(catalogue.list, modelOverrides());
  if (model === undefined) return skipped('the backend lists no model that chats');
  return onLine(context, signal, async (line, accessKey) => {
    const trial = await tryChat(line, accessKey, model.id, clock, signal);
    switch (trial.kind) {
      case 'refused':
        return refusal(model.id, trial);
      case 'broken':
        return failed(
          `${model.id}: the answer broke off after ${trial.pieces} pieces, or is no event stream`,
          ADVICE.backend,
        );
      case 'answered': {
        const { firstByte, whole, pieces } = trial;
        const times = `first byte after ${milliseconds(firstByte)}, whole after ${milliseconds(whole)}`;
        return ok(`${model.id}: ${times}, ${pieces} pieces`);
      }
    }
  });
}

/** An embedding of a sentence is far below that, in characters. */
const MAX_EMBEDDING = 4 * 1024 * 1024;

async function embeddingResult(context: DoctorContext, signal: AbortSignal): Promise<CheckResult> {
  const { clock, status } = context;
  const catalogue = catalogueOf(status());
  if ('skip' in catalogue) return catalogue.skip;
  const model = embeddingModel(catalogue.list);
  if (model === undefined) return skipped('the backend lists no model for embeddings');
  return onLine(context, signal, async (line, accessKey) => {
    const begun = clock();
    const response = await line.embed(accessKey, JSON.stringify({ model, input: 'OK' }), signal);
    if (response.statusCode !== 200) return refusal(model, await refusalOf(response));
    const dimensions = dimensionsOf(await bodyOf(response, MAX_EMBEDDING));
    if (dimensions === undefined) return failed(`${model}: the answer is no embedding`, ADVICE.backend);
    return ok(`${model}: ${dimensions} dimensions after ${milliseconds(clock() - begun)}`);
  });
}

async function onLine(
  { connect }: DoctorContext,
  signal: AbortSignal,
  act: (line: VerifiedConnection, accessKey: string) => Promise<CheckResult>,
): Promise<CheckResult> {
  const { line, accessKey } = await connect();
  try {
    signal.throwIfAborted();
    return await act(line, accessKey);
  } finally {
    line.end();
  }
}

function refusal(
  model: string,
  { status, code, message }: Extract<TestRequestResult, { kind: 'refused' }>,
): CheckResult {
  const advice = status === 401 ? SET_KEY : 'The log has a line for this request, with the exact code.';
  return failed(`${model}: status ${status}${code && ` (${code})`}. ${message}`, advice);
}

function dimensionsOf(body: string): number | undefined {
  const data = fieldsOf(parseJson(Buffer.from(body)))['data'];
  const embedding = Array.isArray(data) ? fieldsOf(data[0])['embedding'] : undefined;
  return Array.isArray(embedding) && embedding.length > 0 ? embedding.length : undefined;
}

function milliseconds(time: number): string {
  return `${Math.round(time)} ms`;
}

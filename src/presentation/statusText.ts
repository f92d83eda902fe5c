// What the states are called, for people. Pure: a status in, text out. The editor translates.
import type { AttestationSummary } from '../shared/messages.ts';
import type { Cause, Health, ProxyStatus } from '../shared/status.ts';

export type Translate = (message: string, ...args: (string | number)[]) => string;

/** What the status bar shows. */
export interface StatusView {
  /** With one icon. */
  readonly text: string;
  readonly accessibleText: string;
  readonly severity: 'none' | 'warning' | 'error';
  /** One sentence: what is, and what to do. */
  readonly summary: string;
  /** Further facts: name and value. */
  readonly facts: readonly (readonly [name: string, value: string])[];
  /** What a click does. */
  readonly click: 'menu' | 'setApiKey';
  /** The links of the tooltip. */
  readonly actions: readonly Action[];
}

export type Action =
  | 'start'
  | 'stop'
  | 'restart'
  | 'setApiKey'
  | 'removeApiKey'
  | 'checkConnection'
  | 'copyBaseUrl'
  | 'connectAssistant'
  | 'newAccessKey'
  | 'manageAccessKeys'
  | 'showAttestation'
  | 'showUsage'
  | 'diagnose'
  | 'showLog'
  | 'useFreePort'
  | 'openSettings'
  | 'getStarted';

const NAME = 'Sealed Proxy';

/** The status bar's item as a function of the state. */
export function describeStatus(status: ProxyStatus, t: Translate): StatusView {
  const view = (
    icon: string,
    label: string,
    summary: string,
    actions: readonly Action[],
    severity: StatusView['severity'] = 'none',
  ): StatusView => ({
    text: `$(${icon}) ${label}`,
    accessibleText: `${NAME}: ${summary}`,
    severity,
    summary,
    facts: [],
    click: 'menu',
    actions,
  });
  switch (status.kind) {
    case 'off':
      return view('circle-slash', NAME, t('The proxy is off in this window.'), ['start', 'showLog']);
    case 'starting':
      return view('loading~spin', NAME, t('The proxy is starting.'), ['stop', 'showLog']);
    case 'restarting': {
      const summary = t('The proxy ended unexpectedly and starts again at {0}.', clockTime(status.at));
      return view('loading~spin', t('{0}: restarting', NAME), summary, ['restart', 'stop', 'showLog'], 'warning');
    }
    case 'failed':
      return view('error', t('{0}: stopped', NAME), status.message, ['restart', 'openSettings', 'showLog'], 'error');
    case 'portTaken': {
      const summary = status.unresponsive
        ? t('Port {0} is used by a program that does not answer. No key was sent to it.', status.port)
        : t('Port {0} is used by another program. No key was sent to it.', status.port);
      return view('error', t('{0}: port taken', NAME), summary, ['useFreePort', 'openSettings', 'restart'], 'error');
    }
    case 'otherVersion': {
      const summary = t(
        'Another window runs version {0} on port {1}. Restart to use this version in all windows.',
        status.version,
        status.port,
      );
      return view('warning', t('{0}: other version', NAME), summary, ['restart', 'openSettings'], 'warning');
    }
    case 'otherSettings': {
      const summary = t(
        'Another window serves port {0} for another backend ({1}) or with other approved images. Restart to use the settings of this window.',
        status.port,
        status.backendUrl,
      );
      return view('warning', t('{0}: other settings', NAME), summary, ['restart', 'openSettings'], 'warning');
    }
    case 'running':
      return describeRunning(status, t);
  }
}

const RUNNING: readonly Action[] = ['checkConnection', 'copyBaseUrl', 'showAttestation', 'showLog', 'stop'];

function describeRunning(status: Extract<ProxyStatus, { kind: 'running' }>, t: Translate): StatusView {
  const { icon, label, summary, severity } = describeHealth(status, t);
  return {
    text: `$(${icon}) ${label}`,
    accessibleText: `${NAME}: ${summary}`,
    severity,
    summary,
    facts: factsOf(status, t),
    click: status.health.kind === 'noKey' ? 'setApiKey' : 'menu',
    actions:
      status.health.kind === 'noKey' || status.health.kind === 'keyRejected' ? ['setApiKey', ...RUNNING] : RUNNING,
  };
}

interface HealthView {
  readonly icon: string;
  readonly label: string;
  readonly summary: string;
  readonly severity: StatusView['severity'];
}

function describeHealth(
  { health, verified, shared }: Extract<ProxyStatus, { kind: 'running' }>,
  t: Translate,
): HealthView {
  const suffix = shared ? ` ${t('(shared)')}` : '';
  switch (health.kind) {
    case 'noKey':
      return { icon: 'key', label: NAME, summary: t('No API key yet. Click to set it.'), severity: 'none' };
    case 'checking':
      return {
        icon: 'loading~spin',
        label: NAME,
        summary: t('Checking the connection to the backend.'),
        severity: 'none',
      };
    case 'connected': {
      const count = health.models.length;
      if (verified?.kind === 'verified') {
        const summary = t('Connected to a verified enclave: {0} models.', count);
        return { icon: 'shield', label: `${count}${suffix}`, summary, severity: 'none' };
      }
      if (verified?.kind === 'development') {
        const summary = t('Connected to a development backend: {0} models. It is not verified.', count);
        return { icon: 'beaker', label: `${t('development')} ${count}${suffix}`, summary, severity: 'warning' };
      }
      // Models without a proof: the session has just been lost, and the next request makes another.
      const summary = t('The backend answers; its enclave is being verified again.');
      return { icon: 'loading~spin', label: NAME, summary, severity: 'none' };
    }
    case 'keyRejected': {
      const summary = t('The backend refused the API key: it is invalid or was deleted. Set another.');
      return { icon: 'key', label: t('{0}: key refused', NAME), summary, severity: 'error' };
    }
    case 'slow': {
      const summary = joined(t('The backend did not answer in time.'), nextTry(health, t));
      return { icon: 'watch', label: t('{0}: slow', NAME), summary, severity: 'warning' };
    }
    case 'unreachable': {
      const { icon, label, headline, advice } = describeCause(health.cause, t);
      const summary = joined(headline, sentence(shortened(health.message)), advice, nextTry(health, t));
      return { icon, label: `${NAME}: ${label}`, summary, severity: 'error' };
    }
  }
}

function joined(...sentences: readonly string[]): string {
  return sentences.filter((text) => text !== '').join(' ');
}

/** With a mark at its end. */
function sentence(text: string): string {
  return text === '' || /[.!?]$/.test(text) ? text : `${text}.`;
}

interface CauseView {
  readonly icon: string;
  readonly label: string;
  /** What is wrong, where the message behind it does not say it itself. */
  readonly headline: string;
  readonly advice: string;
}

function describeCause(cause: Cause, t: Translate): CauseView {
  switch (cause) {
    case 'network':
      return {
        icon: 'debug-disconnect',
        label: t('unreachable'),
        headline: t('The backend cannot be reached.'),
        advice: t('Check the network and the http.proxy setting.'),
      };
    case 'attestation':
      return {
        icon: 'workspace-untrusted',
        label: t('attestation refused'),
        headline: '',
        advice: t('Something between this computer and the enclave is not what it says. Nothing was sent to it.'),
      };
    case 'pcr0':
      return {
        icon: 'workspace-untrusted',
        label: t('image not approved'),
        headline: '',
        advice: t('Update the extension, or add the PCR0 to sealedProxy.additionalPcr0 if you trust it.'),
      };
    case 'clock':
      return {
        icon: 'workspace-untrusted',
        label: t('clock wrong'),
        headline: '',
        advice: '',
      };
    case 'protocol':
      return {
        icon: 'workspace-untrusted',
        label: t('protocol error'),
        headline: t('The backend does not answer as an enclave does.'),
        advice: t('Check the backend URL.'),
      };
    case 'backend':
      return {
        icon: 'server',
        label: t('backend error'),
        headline: t('The backend answers, but cannot serve at the moment.'),
        advice: '',
      };
  }
}

function nextTry({ retryAt }: Extract<Health, { kind: 'slow' | 'unreachable' }>, t: Translate): string {
  return retryAt === null ? '' : t('Next try at {0}.', clockTime(retryAt));
}

function factsOf(
  { url, backendUrl, verified, establishedAt, health, version, shared }: Extract<ProxyStatus, { kind: 'running' }>,
  t: Translate,
): (readonly [string, string])[] {
  const facts: (readonly [string, string])[] = [
    [t('Base URL'), `${url}/v1`],
    [t('Backend'), backendUrl],
    ...verifiedFacts(verified, establishedAt, t),
  ];
  if (health.kind === 'connected') facts.push([t('Models'), String(health.models.length)]);
  if ('checkedAt' in health) facts.push([t('Last check'), clockTime(health.checkedAt)]);
  facts.push([t('Version'), shared ? t('{0}, served by another window', version) : version]);
  return facts;
}

function verifiedFacts(
  verified: AttestationSummary | null,
  establishedAt: number | null,
  t: Translate,
): (readonly [string, string])[] {
  if (verified === null) return [[t('Verified'), t('nothing at the moment')]];
  if (verified.kind === 'development') return [[t('Verified'), t('nothing: a development backend')]];
  return [
    [t('Verified'), t('{0} enclave, PCR0 {1}', verified.environment, shortPcr0(verified.pcr0))],
    [t('Module'), verified.moduleId],
    ...(establishedAt === null ? [] : [[t('Since'), clockTime(establishedAt)] as const]),
    [t('Certificate valid until'), new Date(verified.certificateNotAfter).toLocaleString()],
  ];
}

export const PCR0 = /\b[0-9a-f]{96}\b/;

/** A message with a measurement in it, as people read it. */
export function shortened(message: string): string {
  return message.replace(PCR0, shortPcr0);
}

/** Both ends of a measurement: what people compare. */
export function shortPcr0(pcr0: string): string {
  return `${pcr0.slice(0, 8)}…${pcr0.slice(-8)}`;
}

function clockTime(at: number): string {
  return new Date(at).toLocaleTimeString();
}

// What the user reads about each state of the proxy. Pure: a status in, text out.
import type { NewImage } from '../shared/messages.ts';
import type { Health, PortUser, ProxyStatus, RunningStatus } from '../shared/status.ts';
import { VERSION } from '../shared/version.ts';
import { NEW_KEY, keySource } from './apiKeyText.ts';
import { CAUSES, commandOf, remedyOf } from './causes.ts';
import type { VisibleCommand } from './commands.ts';
import { imageQuestion } from './imageText.ts';
import { PCR0, PRODUCT, capitalized, clockTime, joined, sentence, shortPcr0, shortened } from './text.ts';

/** The status bar item, and what its tooltip and notifications say. */
export interface StatusView {
  /** The name of a codicon. */
  readonly icon: string;
  /** What the status bar adds to the product's name; empty while nothing is unusual. */
  readonly label: string;
  readonly severity: 'none' | 'warning' | 'error';
  /** One sentence for a user who has never heard of an enclave. */
  readonly headline: string;
  /** What happened, what was not sent, then the remedy, then an error code, in sentences; may be empty. */
  readonly detail: string;
  /** The command of a click on the item. */
  readonly click: VisibleCommand;
  /** What the user can do about the state; null while there is nothing to repair. */
  readonly remedy: VisibleCommand | null;
  /** The commands that fit the state: the remedy, then the others. */
  readonly actions: readonly VisibleCommand[];
}

type Unreachable = Extract<Health, { kind: 'unreachable' }>;
type Description = Pick<StatusView, 'icon' | 'headline'> & Partial<StatusView>;

/** What a running proxy offers. */
const RUNNING: readonly VisibleCommand[] = ['checkConnection', 'copyBaseUrl', 'showAttestation', 'showLog', 'stop'];

/** What a running proxy offers while the backend cannot be used. */
const BROKEN: readonly VisibleCommand[] = ['checkConnection', 'diagnose', 'showAttestation', 'showLog', 'stop'];

/** Another window's proxy, which this window does not use. */
const OTHER_WINDOW = { icon: 'warning', severity: 'warning', remedy: 'restart', actions: ['openSettings'] } as const;

const UPDATE =
  'Reload this window to use the new version here too. If this message remains, update the extension first.';

const QUIT = `Use a free port, or quit that program and restart ${PRODUCT}.`;

/** Who uses the port, and what to do. */
export const PORT_USERS: Readonly<Record<PortUser, { readonly problem: string; readonly detail: string }>> = {
  program: { problem: 'used by another program', detail: `${PRODUCT} sent it no key. ${QUIT}` },
  unresponsive: {
    problem: 'used by a program that does not respond',
    detail: `${PRODUCT} sent it no key. ${QUIT}`,
  },
  sealedProxy: {
    problem: `used by a ${PRODUCT} of another editor or computer`,
    detail:
      'Each editor runs its own proxy. No key was sent to the other one. Use a free port: this editor then keeps it.',
  },
  silent: { problem: 'held by another program', detail: `That program does not listen on it. ${QUIT}` },
  system: {
    problem: 'reserved by the system',
    detail: 'Use a free port. On Windows, services such as Hyper-V reserve ranges of ports.',
  },
};

/** The view of a status. */
export function describeStatus(status: ProxyStatus): StatusView {
  const view: StatusView = {
    label: LABELS[status.kind] ?? '',
    severity: 'none',
    detail: '',
    click: 'showMenu',
    remedy: null,
    actions: RUNNING,
    ...describe(status),
  };
  const { remedy, actions } = view;
  return remedy === null ? view : { ...view, actions: [remedy, ...actions.filter((name) => name !== remedy)] };
}

/** The states without a failure that the status bar names, so that they look different. */
const LABELS: Partial<Record<ProxyStatus['kind'], string>> = { off: 'off', starting: 'starting' };

/** The text of the status bar item; `compact` leaves out the product's name. */
export function statusBarText({ icon, label }: StatusView, compact: boolean): string {
  const text = [compact ? '' : PRODUCT, label].filter((part) => part !== '').join(': ');
  return `$(${icon}) ${text}`.trim();
}

/** All sentences of a view, for notifications and screen readers. */
export function summaryOf({ headline, detail }: StatusView): string {
  return joined(headline, detail);
}

function describe(status: ProxyStatus): Description {
  switch (status.kind) {
    case 'off': {
      const start = 'run "Sealed Proxy: Start".';
      if (status.allWindows === true) {
        const detail = `It stays off, even after you restart the editor. To start it again, ${start}`;
        const headline = `${PRODUCT} is off in all windows.`;
        return { icon: 'circle-slash', headline, detail, remedy: 'start', actions: ['showLog'] };
      }
      return {
        icon: 'circle-slash',
        headline: `${PRODUCT} is off in this window.`,
        detail: `To start it, ${start}`,
        remedy: 'start',
        actions: ['stopAll', 'showLog'],
      };
    }
    case 'starting':
      return { icon: 'loading~spin', headline: `${PRODUCT} is starting.`, actions: ['stop', 'showLog'] };
    case 'restarting':
      return {
        icon: 'loading~spin',
        label: 'restarting',
        severity: 'warning',
        headline: `${PRODUCT} stopped unexpectedly and restarts at ${clockTime(status.at)}.`,
        remedy: 'restart',
        actions: ['stop', 'showLog'],
      };
    case 'failed':
      return {
        icon: 'error',
        label: status.reason === 'crashes' ? 'crashed' : 'start failed',
        severity: 'error',
        headline: `${PRODUCT} is not running.`,
        detail: sentence(status.message),
        remedy: status.reason === 'setting' ? 'openSettings' : 'restart',
        actions: ['restart', 'diagnose', 'openSettings', 'showLog'],
      };
    case 'portTaken': {
      const { port, by } = status;
      const { problem, detail } = PORT_USERS[by];
      return {
        icon: 'error',
        label: 'port taken',
        severity: 'error',
        headline: `${PRODUCT} cannot start: port ${port} is ${problem}.`,
        detail,
        remedy: 'useFreePort',
        actions: ['restart', 'diagnose', 'openSettings'],
      };
    }
    case 'otherVersion':
      return {
        ...OTHER_WINDOW,
        label: 'other version',
        headline: `Another window runs ${PRODUCT} ${status.version}; this window has ${VERSION}.`,
        ...(status.isNewer
          ? { detail: UPDATE, remedy: 'reloadWindow' }
          : { detail: `Restart to use ${VERSION} in all windows.` }),
      };
    case 'otherSettings':
      return {
        ...OTHER_WINDOW,
        label: 'other settings',
        headline: `Another window runs ${PRODUCT} on port ${status.port} with different settings.`,
        detail:
          `Its backend is ${status.backendUrl}, and it may trust other enclave images. ` +
          "Restart to switch all windows to this window's settings.",
      };
    case 'running':
      return describeRunning(status);
  }
}

function describeRunning(status: RunningStatus): Description {
  const { health, newImage = null, verified } = status;
  // A session with another image may still be in use: then only a question is worth a message.
  if (newImage !== null && !(newImage.refused && health.kind === 'connected' && verified !== null))
    return describeNewImage(status.backendUrl, newImage);
  switch (health.kind) {
    case 'noKey':
      return {
        icon: 'key',
        label: 'set API key',
        headline: `${PRODUCT} needs an API key.`,
        detail: `${keySource(status.backendUrl)} Then run Set API Key.`,
        click: 'setApiKey',
        remedy: 'setApiKey',
      };
    case 'checking':
      return {
        icon: 'loading~spin',
        label: 'checking',
        headline: `${PRODUCT} is checking the connection to the backend.`,
      };
    case 'connected':
      return describeConnected(status);
    case 'keyRejected':
      return {
        icon: 'key',
        label: 'key refused',
        severity: 'error',
        headline: `${PRODUCT} reached the backend, but the backend refused the API key.`,
        detail: NEW_KEY,
        remedy: 'setApiKey',
      };
    case 'slow':
      return {
        icon: 'watch',
        label: 'no response',
        severity: 'warning',
        headline: `${PRODUCT} cannot use the backend, which did not respond in time.`,
        detail: joined(nextTry(health), 'If this continues, run diagnostics.'),
        remedy: 'checkConnection',
        actions: BROKEN,
      };
    case 'unreachable': {
      const { icon, label, headline } = CAUSES[health.cause];
      const { reason, notSent, remedy, next } = describeFailure(health);
      const fullPcr0 = PCR0.test(health.message) ? FULL_PCR0 : '';
      const detail = isOnlyCode(health)
        ? joined(notSent, remedy, reason, next)
        : joined(reason, notSent, remedy, fullPcr0, next);
      return { icon, label, headline, detail, severity: 'error', remedy: commandOf(health), actions: BROKEN };
    }
  }
}

function describeNewImage(backendUrl: string, image: NewImage): Description {
  const [, detail] = imageQuestion(backendUrl, image);
  const isRefused = image.refused;
  return {
    icon: CAUSES.newImage.icon,
    label: isRefused ? 'image refused' : CAUSES.newImage.label,
    severity: 'warning',
    headline: isRefused
      ? `${PRODUCT} sends nothing: the enclave runs an image that you have chosen not to use.`
      : CAUSES.newImage.headline,
    detail: joined(`Its PCR0 is ${shortPcr0(image.pcr0)}.`, detail),
    click: CAUSES.newImage.command,
    remedy: CAUSES.newImage.command,
    actions: ['showAttestation', ...BROKEN.filter((name) => name !== 'showAttestation')],
  };
}

function describeConnected({ verified }: RunningStatus): Description {
  switch (verified?.kind) {
    case 'verified':
      return {
        icon: 'shield',
        headline: `${PRODUCT} is connected. Prompts to its models are encrypted to a verified enclave.`,
      };
    case 'development':
      return {
        icon: 'beaker',
        label: 'development',
        severity: 'warning',
        headline: `${PRODUCT} is connected to a development backend, which is not verified.`,
        detail: 'Use it for tests only, and send it nothing private.',
      };
    case undefined:
      // The session was just lost, and the next request opens another: this is not an attack.
      return {
        icon: 'loading~spin',
        label: 'verifying',
        headline: `${PRODUCT} is connected and verifies the enclave again.`,
      };
  }
}

/** Why the backend cannot be used, each part in sentences that may be empty. The headline is in `StatusView`. */
export function describeFailure(health: Unreachable) {
  return {
    reason: reasonOf(health.message),
    notSent: isBeforeRequests(health) ? NOTHING_SENT : '',
    remedy: remedyOf(health),
    next: nextTry(health),
  };
}

const FULL_PCR0 = 'Show Attestation shows the full PCR0.';

const NOTHING_SENT = 'No prompts or keys were sent.';

/** Whether the connection failed in the handshake, before the first request. */
function isBeforeRequests({ cause, failure }: Unreachable): boolean {
  if (cause === 'protocol' || cause === 'backend') return failure?.code.startsWith('handshake_') === true;
  return cause === 'attestation' || cause === 'pcr0' || cause === 'clock';
}

/** Whether the message says no more than the code of the operating system or of TLS, which only helps whoever looks it up. */
function isOnlyCode({ message, failure }: Unreachable): boolean {
  return failure?.detail != null && message.endsWith(failure.detail);
}

/** The message of a failure, without what the headline says. */
function reasonOf(message: string): string {
  const text = shortened(message).replace(/^The attestation failed: /, '');
  return sentence(capitalized(text));
}

function nextTry({ retryAt }: Extract<Health, { kind: 'slow' | 'unreachable' }>): string {
  return retryAt === null ? '' : `Next attempt at ${clockTime(retryAt)}.`;
}

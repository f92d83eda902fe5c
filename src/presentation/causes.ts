// Why the backend cannot be used, and what to do.
import type { ConnectionFailure } from '../shared/ownership.ts';
import type { Cause } from '../shared/status.ts';
import type { VisibleCommand } from './commands.ts';
import { NETWORK_REMEDY, networkRemedy } from './networkText.ts';
import { PRODUCT } from './text.ts';

interface CauseText {
  /** The name of a codicon. */
  readonly icon: string;
  /** What the status bar adds to the product's name. */
  readonly label: string;
  /** One sentence for a user who has never heard of an enclave. The failure's own message follows it. */
  readonly headline: string;
  /** Follows the failure's own message. */
  readonly remedy: string;
  /** The command of the remedy, or of the step after it. */
  readonly command: VisibleCommand;
}

export const CAUSES: Readonly<Record<Cause, CauseText>> = {
  network: {
    icon: 'debug-disconnect',
    label: 'backend unreachable',
    headline: `${PRODUCT} cannot reach the backend.`,
    remedy: NETWORK_REMEDY,
    command: 'diagnose',
  },
  attestation: {
    icon: 'workspace-untrusted',
    label: 'attestation failed',
    headline: `${PRODUCT} refused to connect: the enclave could not be authenticated.`,
    remedy: 'Traffic may be intercepted. Try another network.',
    command: 'checkConnection',
  },
  pcr0: {
    icon: 'workspace-untrusted',
    label: 'image not trusted',
    headline: `${PRODUCT} refused to connect: the enclave image is not trusted.`,
    remedy:
      'Update the extension: a newer version may trust this image. Add the PCR0 to sealedProxy.additionalPcr0 only if ' +
      'you have verified the image yourself.',
    command: 'showAttestation',
  },
  clock: {
    icon: 'workspace-untrusted',
    label: 'clock wrong',
    headline: `${PRODUCT} cannot verify the enclave: this computer's clock is wrong.`,
    remedy: 'Set the date and time of this computer, automatically if possible. Then run Check Connection.',
    command: 'checkConnection',
  },
  newImage: {
    icon: 'workspace-unknown',
    label: 'new image',
    headline: `${PRODUCT} waits for you: the enclave runs a new image.`,
    remedy: 'No prompt is sent to it before you accept it. Run Review New Enclave Image.',
    command: 'reviewImage',
  },
  protocol: {
    icon: 'workspace-untrusted',
    label: 'protocol error',
    headline: `${PRODUCT} refused to connect: the server at this address is not a working enclave.`,
    remedy: 'Check the setting sealedProxy.backendUrl, or update the extension.',
    command: 'openSettings',
  },
  backend: {
    icon: 'server',
    label: 'backend error',
    headline: `${PRODUCT} reached the backend, but the backend cannot process requests right now.`,
    remedy: 'Wait a few minutes. If the error remains, contact the operator of the backend.',
    command: 'checkConnection',
  },
};

interface Unusable {
  readonly cause: Cause;
  readonly failure: Pick<ConnectionFailure, 'code' | 'detail'> | null;
}

/** The command that helps with a backend that cannot be used. */
export function commandOf({ cause, failure }: Unusable): VisibleCommand {
  return CAUSES[failure?.code === 'history_unavailable' ? 'network' : cause].command;
}

/** What to do about a backend that cannot be used. */
export function remedyOf({ cause, failure }: Unusable): string {
  const remedy = networkRemedy(failure?.detail);
  if (failure?.code === 'history_unavailable') return `The list of images is on raw.githubusercontent.com. ${remedy}`;
  return cause === 'network' ? remedy : CAUSES[cause].remedy;
}

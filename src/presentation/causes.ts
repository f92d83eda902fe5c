// Why the backend cannot be used, and what to do.
import type { Cause, Health } from '../shared/status.ts';
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
}

export const CAUSES: Readonly<Record<Cause, CauseText>> = {
  network: {
    icon: 'debug-disconnect',
    label: 'unreachable',
    headline: `${PRODUCT} cannot reach the backend.`,
    remedy: NETWORK_REMEDY,
  },
  attestation: {
    icon: 'workspace-untrusted',
    label: 'attestation failed',
    headline: `${PRODUCT} refused to connect: the enclave could not be authenticated.`,
    remedy: 'Traffic may be intercepted. Try another network.',
  },
  pcr0: {
    icon: 'workspace-untrusted',
    label: 'image not trusted',
    headline: `${PRODUCT} refused to connect: the enclave image is not trusted.`,
    remedy:
      'Update the extension: a newer version may trust this image. Add the PCR0 to sealedProxy.additionalPcr0 only if ' +
      'you have verified the image yourself.',
  },
  clock: {
    icon: 'workspace-untrusted',
    label: 'clock wrong',
    headline: `${PRODUCT} cannot verify the enclave: this computer's clock is wrong.`,
    remedy: 'Set the date and time of this computer, automatically if possible. Then run Check Connection.',
  },
  newImage: {
    icon: 'workspace-unknown',
    label: 'new image',
    headline: `${PRODUCT} waits for you: the enclave runs a new image.`,
    remedy: 'No prompt is sent to it before you accept it. Run Review New Enclave Image.',
  },
  protocol: {
    icon: 'workspace-untrusted',
    label: 'protocol error',
    headline: `${PRODUCT} refused to connect: the server at this address is not a working enclave.`,
    remedy: 'Check the setting sealedProxy.backendUrl, or update the extension.',
  },
  backend: {
    icon: 'server',
    label: 'backend error',
    headline: `${PRODUCT} reached the backend, but the backend cannot process requests right now.`,
    remedy: 'Wait a few minutes. If the error remains, contact the operator of the backend.',
  },
};

/** What to do about a backend that cannot be used. */
export function remedyOf({
  cause,
  failure,
}: Pick<Extract<Health, { kind: 'unreachable' }>, 'cause' | 'failure'>): string {
  const remedy = networkRemedy(failure?.detail);
  if (failure?.code === 'history_unavailable') return `The list of images is on raw.githubusercontent.com. ${remedy}`;
  return cause === 'network' ? remedy : CAUSES[cause].remedy;
}

// What the user reads about the image that an enclave runs. Pure.
import type { ApprovedImage, NewImage } from '../shared/messages.ts';
import { joined, shortPcr0 } from './text.ts';

/** The notification about another image than before. */
export function imageChange(backendUrl: string, image: ApprovedImage): string {
  return joined(
    `The enclave at ${hostOf(backendUrl)} runs a different image than before: PCR0 ${shortPcr0(image.pcr0)}.`,
    imageApproval(image),
  );
}

/** The question about a new image, and what the answers mean. */
export function imageQuestion(backendUrl: string, image: NewImage): readonly [question: string, detail: string] {
  const runs = `The enclave at ${hostOf(backendUrl)} runs a new image: PCR0 ${shortPcr0(image.pcr0)}.`;
  if (!image.refused) return [joined(runs, 'Do you want to use it?'), joined(imageApproval(image), WAITING)];
  return [
    joined(runs, 'You have chosen not to use it. Do you want to use it now?'),
    joined(imageApproval(image), FAILING),
  ];
}

const WAITING = 'Your requests wait for the answer. Nothing is sent to this image before you accept it.';
const FAILING = 'Your requests fail until you accept it, or until the enclave runs another image again.';

/** The buttons of the question. */
export const USE_IMAGE = 'Use This Image';
export const REFUSE_IMAGE = "Don't Use It";

/** What approved an image. The date is the history's own statement: the signature covers PCR0 only. */
export function imageApproval({ approvedBy, listedSince = null }: ApprovedImage): string {
  const date = listedSince === null ? '' : new Date(listedSince).toLocaleDateString(undefined, { dateStyle: 'long' });
  switch (approvedBy) {
    case 'additional':
      return 'You have added it in sealedProxy.additionalPcr0.';
    case 'pinned': {
      const since = date === '' ? '' : `The history of images lists it since ${date}; this date is not signed.`;
      return joined('It is on the list built into this version of Sealed Proxy.', since);
    }
    case 'history':
      return date === ''
        ? 'The signed history of images lists it.'
        : `The signed history of images lists it since ${date}; this date is not signed.`;
  }
}

/** The backend in a sentence. */
function hostOf(backendUrl: string): string {
  return URL.canParse(backendUrl) ? new URL(backendUrl).host : backendUrl;
}

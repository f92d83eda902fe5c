// What a request through our proxy means for its sender. Pure, and without Node: the dashboard's web view uses it.
import type { Reach } from './reach.ts';
import type { SenderVerdict } from './sender.ts';

/** What is said about prompts that all go to our address, and the sentence that has to be added, if any. */
export function throughProxy(reach: Reach): { readonly verdict: SenderVerdict; readonly addition: string } {
  switch (reach.kind) {
    case 'enclave':
      return { verdict: 'sealed', addition: '' };
    case 'development':
      return { verdict: 'development', addition: 'The backend is a development backend, which is not verified.' };
    case 'nothing':
      return { verdict: 'blocked', addition: 'Requests fail at the moment.' };
    case 'otherProgram':
      return {
        verdict: 'elsewhere',
        addition: `At the moment another program uses port ${reach.port} and receives them.`,
      };
    case 'otherProxy':
      return {
        verdict: 'unknown',
        addition: `At the moment another window with different settings serves port ${reach.port}.`,
      };
  }
}

/** The same about prompts to our own models: the chat sends nothing to a program that it does not know. */
export function throughChat(reach: Reach): ReturnType<typeof throughProxy> {
  return throughProxy(reach.kind === 'otherProgram' ? { kind: 'nothing', why: '' } : reach);
}

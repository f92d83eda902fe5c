import type { Sender, SenderVerdict } from '../../src/promptMap/sender.ts';

/** A sender with this verdict, which is also its name. */
export function sender(verdict: SenderVerdict, change: Partial<Sender> = {}): Sender {
  return { id: verdict, name: verdict, group: 'extensions', verdict, sentence: 'A sentence.', details: [], ...change };
}

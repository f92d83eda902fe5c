// The one judgement of where the prompts of an assistant go. Pure.
import { capitalized, sentence } from '../presentation/text.ts';
import { asLabel } from '../shared/escape.ts';
import type { ConfigState } from './adapters/assistant.ts';
import { NOT_CHECKED, describeOutdated } from './adapters/configState.ts';
import type { Judgement, Remedy, Route, Source } from './judging/judgement.ts';

/** @param name of the assistant */
export function judge(name: string, state: ConfigState, routes: readonly Route[]): Judgement {
  switch (state.kind) {
    case 'absent':
      return notSealed('elsewhere', `${name} is not connected to Sealed Proxy.`, { kind: 'connect' });
    case 'other':
      return notSealed('elsewhere', `${name} is not connected to Sealed Proxy: it uses ${asLabel(state.what)}.`, {
        kind: 'connect',
      });
    case 'refused':
      return notSealed('unknown', `The configuration of ${name} cannot be read.`);
    case 'outdated':
      return notSealed('unknown', `${name} uses ${describeOutdated(state)} of Sealed Proxy.`, { kind: 'repair' });
    case 'current':
      return state.uncompared === true
        ? notSealed('unknown', sentence(capitalized(NOT_CHECKED)))
        : judgeRoutes(name, routes);
  }
}

function judgeRoutes(name: string, routes: readonly Route[]): Judgement {
  const of = (kind: Route['destination']['kind']) => routes.filter(({ destination }) => destination.kind === kind);
  const [sealed, elsewhere, unknown] = [of('sealed'), of('elsewhere'), of('unknown')];
  const [first] = [...elsewhere, ...unknown];
  if (first === undefined && sealed.length > 0)
    return { kind: 'sealed', sentence: `${name} is configured to send all prompts to Sealed Proxy.`, routes };
  if (first === undefined) return { kind: 'unknown', sentence: unknownSentence(name, []), routes };
  const kind = elsewhere.length === 0 ? 'unknown' : sealed.length === 0 ? 'elsewhere' : 'partly';
  const text = kind === 'unknown' ? unknownSentence(name, unknown) : elsewhereSentence(name, elsewhere);
  return { kind, sentence: text, routes, ...(first.remedy && { remedy: first.remedy }) };
}

function notSealed(kind: 'elsewhere' | 'unknown', text: string, remedy?: Remedy): Judgement {
  return { kind, sentence: text, routes: [], ...(remedy && { remedy }) };
}

function unknownSentence(name: string, routes: readonly Route[]): string {
  if (routes.length === 0) return `It is not known where the prompts of ${name} go.`;
  return `It is not known where these prompts of ${name} go: ${routes.map(describeRoute).join('; ')}.`;
}

function elsewhereSentence(name: string, routes: readonly Route[]): string {
  return `${name} sends prompts elsewhere: ${routes.map(describeRoute).join('; ')}.`;
}

function describeRoute({ prompts, destination, source }: Route): string {
  const what = asLabel(prompts);
  const because = source === undefined ? '' : ` (${describeSource(source)})`;
  if (destination.kind !== 'elsewhere') return what + because;
  const recipient = asLabel(destination.recipient);
  const to = destination.through === undefined ? `to ${recipient}` : `through the HTTP proxy ${recipient}`;
  return `${what} ${to}${because}`;
}

/** Without the folder of a file: the text may be shown to others. */
export function describeSource(source: Source): string {
  switch (source.kind) {
    case 'file': {
      const file = asLabel(source.path.split(/[\\/]/).at(-1) ?? '');
      return source.name === '' ? file : `${asLabel(source.name)} in ${file}`;
    }
    case 'variable':
      return `the variable ${source.name}`;
    case 'setting':
      return `the setting ${source.key}`;
  }
}

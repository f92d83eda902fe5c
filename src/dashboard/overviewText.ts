// The path of a prompt, in words: what is sealed on the way, and who reads it. Pure.
import type { Tone } from '../presentation/text.ts';
import type { DashboardState } from './model.ts';

export interface Stop {
  readonly title: string;
  readonly detail: string;
  readonly tone: Tone;
}

export interface Path {
  /** The assistants, Sealed Proxy, and where it sends to. */
  readonly stops: readonly [Stop, Stop, Stop];
  /** What happens between them. */
  readonly legs: readonly [string, string];
}

/** As a screen reader says it, in sentences. May contain text from outside, as the details do. */
export function describePath({ stops: [from, proxy, to], legs: [first, second] }: Path): string {
  return `${spoken(from)} to ${spoken(proxy)}: ${first}. ${spoken(proxy)} to ${spoken(to)}: ${second}.`;
}

function spoken({ title, detail }: Stop): string {
  return detail === '' ? title : `${title} (${detail})`;
}

export function pathOf({ connection, prompts: { reach, isRemote }, clients }: DashboardState): Path {
  const keys = clients.filter(({ key }) => key !== null).length;
  const withKeys = keys === 0 ? '' : `${keys} ${keys === 1 ? 'access key' : 'access keys'}`;
  const chat = "VS Code's chat";
  const from: Stop = {
    title: 'What is connected',
    detail: withKeys === '' ? chat : `${chat} and ${withKeys}`,
    tone: 'neutral',
  };
  const fact = (title: string) => connection.facts.find(({ name }) => name === title)?.value ?? '';
  const backend = fact('Backend').replace(/^https?:\/\//, '');
  const proxy = (tone: Tone): Stop => ({ title: 'Sealed Proxy', detail: fact('Base URL'), tone });
  const here = `plain text, only on ${isRemote ? 'the computer of this window' : 'this computer'}`;
  switch (reach.kind) {
    case 'enclave':
      // The connection is good only with a verified session.
      if (connection.tone !== 'good')
        return {
          stops: [from, proxy('neutral'), { title: 'Enclave', detail: 'not verified yet', tone: 'neutral' }],
          legs: [here, 'nothing, until it is verified'],
        };
      return {
        stops: [from, proxy('good'), { title: 'Verified enclave', detail: backend, tone: 'good' }],
        legs: [here, 'encrypted; nobody in between can read it'],
      };
    case 'development': {
      const detail = backend === '' ? 'not verified' : `${backend}, not verified`;
      return {
        stops: [from, proxy('warning'), { title: 'Development backend', detail, tone: 'warning' }],
        legs: [here, 'encrypted, but the receiver is not verified'],
      };
    }
    case 'otherProgram':
    case 'otherProxy': {
      const title = reach.kind === 'otherProxy' ? 'Sealed Proxy of another window' : 'Another program';
      return {
        // The chat sends nothing to a program that it does not know.
        stops: [
          { ...from, detail: withKeys },
          { title, detail: `port ${reach.port}`, tone: 'error' },
          { title: 'Not known', detail: '', tone: 'error' },
        ],
        legs: ['plain text', 'not known'],
      };
    }
    case 'nothing':
      return {
        stops: [from, proxy('neutral'), { title: 'Enclave', detail: '', tone: 'neutral' }],
        legs: [here, reach.cause === 'offHere' ? 'not known from this window' : 'requests fail'],
      };
  }
}

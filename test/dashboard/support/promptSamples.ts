// The section Where Prompts Go of one user, in the states of the proxy: made by the extension's own code, so that what the
// tests and pictures show is what it says.
import { OUR_VENDOR } from '../../../src/chat/sidePrompts/facts.ts';
import { judgeSidePrompts, recommendedChanges } from '../../../src/chat/sidePrompts/judge.ts';
import { SETTINGS } from '../../../src/chat/sidePrompts/settings.ts';
import type { PromptsSection, SidePromptsSection } from '../../../src/dashboard/model.ts';
import { sidePromptsSection } from '../../../src/dashboard/sidePrompts.ts';
import type { EditorReading } from '../../../src/promptMap/editorSenders.ts';
import { promptMap } from '../../../src/promptMap/promptMap.ts';
import type { MapFacts } from '../../../src/promptMap/promptMap.ts';
import type { ProxyStatus } from '../../../src/shared/status.ts';
import { COPILOTS, OUR_LARGE, OUR_SMALL, makeFacts } from '../../support/editorFacts.ts';
import type { FactsChange } from '../../support/editorFacts.ts';
import { refusedFor, runningStatus, unreachableStatus } from '../../support/statuses.ts';

const PLAIN = { isBuiltIn: false, isForAi: true, offersModels: false };
const SETTINGS_FILE = '/home/ann/.claude/settings.json';
const variable = (name: string) => ({ kind: 'file', path: SETTINGS_FILE, name: `env.${name}` }) as const;

const CONNECTED = { kind: 'current', model: 'openai/gpt-oss-120b' } as const;

const ASSISTANTS: MapFacts['assistants'] = [
  {
    assistant: { id: 'codex', name: 'Codex', extension: 'openai.chatgpt' },
    configState: { kind: 'absent' },
    detected: true,
    judgement: {
      kind: 'elsewhere',
      sentence: 'Codex is not connected to Sealed Proxy.',
      routes: [],
      remedy: { kind: 'connect' },
    },
  },
  {
    assistant: { id: 'claude-code', name: 'Claude Code', extension: 'anthropic.claude-code' },
    configState: CONNECTED,
    detected: true,
    judgement: {
      kind: 'sealed',
      sentence: 'Claude Code is configured to send all prompts to Sealed Proxy.',
      routes: [
        { prompts: 'Chat', destination: { kind: 'sealed' }, source: variable('ANTHROPIC_BASE_URL') },
        {
          prompts: 'Titles and summaries',
          destination: { kind: 'sealed' },
          source: variable('ANTHROPIC_DEFAULT_HAIKU_MODEL'),
        },
      ],
    },
  },
  {
    assistant: { id: 'opencode', name: 'opencode', extension: undefined },
    configState: CONNECTED,
    detected: true,
    judgement: {
      kind: 'sealed',
      sentence: 'opencode is configured to send all prompts to Sealed Proxy.',
      routes: [],
    },
  },
];

/** The models that the samples recommend. */
export const RECOMMENDED = { utility: OUR_SMALL, agent: OUR_LARGE };

function readingOf(change: FactsChange): EditorReading {
  const facts = makeFacts({
    models: [OUR_LARGE, OUR_SMALL, COPILOTS],
    ...change,
    values: {
      [SETTINGS.utilitySmall]: 'sealed-proxy/small-1',
      [SETTINGS.ghostText]: { '*': false },
      [SETTINGS.nextEdits]: false,
      ...change.values,
    },
  });
  return { facts, prompts: judgeSidePrompts(facts) };
}

/** The section Side Prompts of the same user. */
export function sidePromptsOf(change: FactsChange = {}, undoable = 0): SidePromptsSection {
  const reading = readingOf(change);
  const offered = reading.facts.models.filter(({ vendor }) => vendor === OUR_VENDOR).length;
  return sidePromptsSection(reading, { recommended: offered === 0 ? undefined : RECOMMENDED, offered, undoable });
}

function sectionOf(status: ProxyStatus, change: FactsChange = {}): PromptsSection {
  const map = promptMap({
    status,
    editor: readingOf(change),
    extensions: [
      { ...PLAIN, id: 'Google.geminicodeassist', name: 'Gemini Code Assist' },
      { ...PLAIN, id: 'openai.chatgpt', name: 'Codex' },
      { ...PLAIN, id: 'anthropic.claude-code', name: 'Claude Code' },
      { ...PLAIN, id: 'acme.helper', name: 'Acme Helper' },
    ],
    assistants: ASSISTANTS,
    programs: ['copilot-cli'],
    keyNames: ['Aider'],
  });
  return { ...map, isRemote: false };
}

export const SIDE_PROMPTS = sidePromptsOf();
/** The same after sealing. */
export const SEALED_SIDE_PROMPTS = sidePromptsOf(
  {
    values: Object.fromEntries(
      recommendedChanges(readingOf({}).facts, RECOMMENDED).map(({ key, value }) => [key, value]),
    ),
  },
  7,
);

export const DEVELOPMENT = runningStatus({ backendUrl: 'http://127.0.0.1:9' });
export const NO_KEY = runningStatus({ health: { kind: 'noKey' }, verified: null, establishedAt: null });
export const UNREACHABLE = unreachableStatus('network', { message: 'The name could not be resolved', retryAt: null });

/** Connected to a verified enclave. */
export const PROMPTS = sectionOf(runningStatus());
export const DEVELOPMENT_PROMPTS = sectionOf(DEVELOPMENT, { attested: false });
export const NO_KEY_PROMPTS = sectionOf(NO_KEY, { models: [] });
export const REFUSED_PROMPTS = sectionOf(refusedFor('pcr0', null));
export const UNREACHABLE_PROMPTS = sectionOf(UNREACHABLE);

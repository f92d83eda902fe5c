import { isDeepStrictEqual } from 'node:util';
import { fieldsOf, parseJson } from '../../shared/json.ts';
import { refused } from '../files/configFile.ts';
import { maskSecrets } from '../files/preview.ts';
import { checkEntry, classifyConfig } from '../configState.ts';
import type { Reading } from '../configState.ts';
import type { Assistant, AssistantEndpoint, ModelChoice, Plan } from '../types.ts';

/** VS Code's own list of endpoints that a person has named. It can be added to, and not be read. */
export interface EndpointList {
  /** Whether this VS Code has one. */
  exists(): Promise<boolean>;
  /** Rejects where VS Code does not take the group, for example as there is one of this name. */
  add(group: unknown): Promise<void>;
  /** The text of what was added last, if that is known. */
  remembered(): Promise<string | undefined>;
}

const NAME = 'Sealed Proxy';
const PLACE = "VS Code's language models (Custom Endpoint)";
const MANAGE = 'run "Chat: Manage Language Models"';
const BY_HAND = `${MANAGE} and remove "${NAME}" there`;

/** For chats of VS Code that take its own Custom Endpoint alone: https://code.visualstudio.com/docs/agent-customization/language-models */
export function customEndpoint(list: EndpointList): Assistant {
  const name = 'VS Code Custom Endpoint';
  const read = async () => readingOf(await list.remembered());
  return {
    id: 'custom-endpoint',
    name,
    needsModel: false,
    next: "VS Code's chat now has these models twice, from Sealed Proxy itself and as a Custom Endpoint.",
    detect: () => list.exists(),
    plan: async (connection) => plan(await list.remembered(), connection),
    apply: async ({ path, before, after }) => {
      try {
        await list.add(parseJson(Buffer.from(after)));
      } catch {
        // It does not say why: its chat was never switched on, or it has a group of this name.
        const advice = `${MANAGE} once; if there is a group "${NAME}" from before, remove it there. Then try again.`;
        return refused(path, `VS Code did not take it: ${advice}`);
      }
      return { kind: 'applied', path, before, after, madeFolder: undefined };
    },
    undo: ({ path }) =>
      Promise.resolve({ kind: 'undone', path, left: `Nobody but you can remove the group: ${BY_HAND}.` }),
    inspect: async (expected) => classifyConfig(await read(), expected),
    check: async (expected, ask) => checkEntry(name, await read(), expected, ask),
  };
}

function plan(remembered: string | undefined, { baseUrl, key, models }: AssistantEndpoint): Plan {
  const group = {
    name: NAME,
    vendor: 'customendpoint',
    apiKey: key,
    apiType: 'chat-completions',
    models: models.map((model) => describe(model, baseUrl)),
  };
  if (isDeepStrictEqual(parsed(remembered), group)) return { kind: 'unchanged', path: PLACE };
  const after = JSON.stringify(group, null, 2);
  const changes = [`adds the group ${NAME} with ${models.length} models`];
  const preview = { path: PLACE, exists: true, before: '', after: maskSecrets(after, key), changes };
  return { kind: 'change', path: PLACE, before: undefined, after, preview };
}

function describe({ id, name, contextWindow, maxOutput, tools, images }: ModelChoice, url: string) {
  const sizes =
    contextWindow === undefined || maxOutput === undefined
      ? {}
      : { maxInputTokens: Math.max(1, contextWindow - maxOutput), maxOutputTokens: maxOutput };
  return { id, name: name ?? id, url, toolCalling: tools ?? true, vision: images ?? false, ...sizes };
}

function readingOf(text: string | undefined): Reading {
  const { apiKey, models } = fieldsOf(parsed(text));
  const first = fieldsOf(Array.isArray(models) ? models[0] : undefined);
  return text === undefined ? {} : { entry: { baseUrl: first['url'], key: apiKey, model: first['id'] } };
}

function parsed(text: string | undefined): unknown {
  return text === undefined ? undefined : parseJson(Buffer.from(text));
}

import { fieldsOf, parseJson } from '../../shared/json.ts';
import { refused } from '../files/change.ts';
import type { Plan } from '../files/change.ts';
import { planOf } from '../files/preview.ts';
import { jsonc } from '../formats/json.ts';
import type { Assistant, AssistantEndpoint, ModelChoice } from './assistant.ts';
import { classifyConfig } from './configState.ts';
import type { Reading } from './configState.ts';

/** VS Code's own list of Custom Endpoint groups. An extension can add to it, but cannot read it. */
export interface EndpointList {
  /** Whether this version of VS Code has the list. */
  exists(): Promise<boolean>;
  /** Rejects if VS Code does not accept the group, for example because the name exists. */
  add(group: unknown): Promise<void>;
  /** The text that was added last, if it is known. */
  remembered(): Promise<string | undefined>;
  /**
   * Edits the file with the list, if this extension can reach it.
   * @param edit returns the new text, or undefined if it cannot
   * @returns whether the file was changed
   */
  edit(edit: (text: string) => string | undefined): Promise<boolean>;
}

/** Its ID. */
export const CUSTOM_ENDPOINT = 'custom-endpoint';

const NAME = 'Sealed Proxy';
const VENDOR = 'customendpoint';
const PLACE = "VS Code's language models (Custom Endpoint)";
const MANAGE = '"Chat: Manage Language Models"';

/**
 * For chats in VS Code that accept only its own Custom Endpoint:
 * https://code.visualstudio.com/docs/agent-customization/language-models
 */
export function customEndpoint(list: EndpointList): Assistant {
  return {
    id: CUSTOM_ENDPOINT,
    name: 'VS Code Custom Endpoint',
    needsModel: false,
    next: "VS Code's chat now lists these models twice: from Sealed Proxy itself and as a Custom Endpoint.",
    detect: () => list.exists(),
    plan: async (endpoint) => plan(await list.remembered(), endpoint),
    apply: async (change) => {
      try {
        await list.add(parseJson(Buffer.from(change.after)));
      } catch {
        // VS Code gives no reason. Either the list was never opened, or it has a group of this name.
        const advice = `Run ${MANAGE} once. If it lists a group "${NAME}", remove it. Then try again.`;
        return refused(`VS Code did not accept the Custom Endpoint. ${advice}`);
      }
      return { ...change, kind: 'applied' };
    },
    undo: () => {
      const left = `An extension cannot remove the group of models. Run ${MANAGE} and remove "${NAME}" yourself.`;
      return Promise.resolve({ kind: 'undone', left });
    },
    disconnect: async () => {
      if (await list.edit(withoutGroup)) return { kind: 'undone' };
      if ((await list.remembered()) === undefined) return { kind: 'unchanged' };
      return refused(`${PLACE}: an extension cannot remove a group. Run ${MANAGE} and remove "${NAME}" yourself.`);
    },
    inspect: async (expected) => classifyConfig(readingOf(await list.remembered()), expected),
    routes: () => Promise.resolve({ routes: [{ prompts: 'Chat', destination: { kind: 'unknown' } }], watched: [] }),
  };
}

function plan(remembered: string | undefined, { baseUrl, key, models }: AssistantEndpoint): Plan {
  const group = {
    name: NAME,
    vendor: VENDOR,
    apiKey: key,
    apiType: 'chat-completions',
    models: models.map((model) => describe(model, baseUrl)),
  };
  const after = JSON.stringify(group, null, 2);
  if (after === remembered) return { kind: 'unchanged' };
  const changes = [`adds the group ${NAME} with ${models.length} ${models.length === 1 ? 'model' : 'models'}`];
  return planOf({ path: PLACE, before: undefined, after }, changes, key, true);
}

/** The text of the list without our group. Its key stays in the secret storage of VS Code, but was revoked. */
function withoutGroup(text: string): string | undefined {
  const list = jsonc.read(text);
  if (!Array.isArray(list)) return text;
  const index = list.findIndex((group) => {
    const { name, vendor } = fieldsOf(group);
    return name === NAME && vendor === VENDOR;
  });
  return index === -1 ? text : jsonc.set(text, [{ path: [index], value: undefined }])?.text;
}

function describe({ id, name = id, limits, tools = true, images = false }: ModelChoice, url: string) {
  const sizes = limits && {
    maxInputTokens: Math.max(1, limits.contextWindow - limits.maxOutput),
    maxOutputTokens: limits.maxOutput,
  };
  return { id, name, url, toolCalling: tools, vision: images, ...sizes };
}

function readingOf(text: string | undefined): Reading {
  if (text === undefined) return {};
  const { apiKey, models } = fieldsOf(parseJson(Buffer.from(text)));
  const first = fieldsOf(Array.isArray(models) ? models[0] : undefined);
  return { entry: { baseUrl: first['url'], key: apiKey, model: first['id'] } };
}

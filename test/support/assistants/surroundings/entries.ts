// The entries of version 0.7.0, as it added them to the file of a user.
import { stringify } from 'yaml';
import type { AssistantEndpoint } from '../../../../src/assistants/adapters/assistant.ts';
import { asObject } from '../../../../src/shared/json.ts';

interface Entry {
  /** Relative to the home folder. */
  readonly path: string;
  /** The text of the user's file with the entry. */
  readonly add: (own: object | string, endpoint: AssistantEndpoint) => string;
}

/** By the ID of the assistant. */
export const ENTRIES: Readonly<Record<string, Entry>> = {
  'claude-code': jsonEntry('.claude/settings.json', ({ baseUrl, key, model: { id } }) => ({
    env: {
      ANTHROPIC_BASE_URL: baseUrl.replace(/\/v1$/, '/anthropic'),
      ANTHROPIC_AUTH_TOKEN: key,
      ANTHROPIC_MODEL: id,
      ANTHROPIC_DEFAULT_FABLE_MODEL: id,
      ANTHROPIC_DEFAULT_OPUS_MODEL: id,
      ANTHROPIC_DEFAULT_SONNET_MODEL: id,
      ANTHROPIC_DEFAULT_HAIKU_MODEL: id,
      CLAUDE_CODE_ATTRIBUTION_HEADER: '0',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    },
  })),
  codex: {
    path: '.codex/config.toml',
    add: (own, { baseUrl, key, model: { id } }) => {
      const provider = [
        '[model_providers.sealed-proxy]',
        'name = "Sealed Proxy"',
        `base_url = "${baseUrl.replace(/\/v1$/, '/responses/v1')}"`,
        'wire_api = "responses"',
        `experimental_bearer_token = "${key}"`,
      ];
      const rest = typeof own === 'string' ? own : '';
      return [`model = "${id}"`, 'model_provider = "sealed-proxy"', rest, ...provider, ''].join('\n');
    },
  },
  continue: {
    path: '.continue/config.yaml',
    add: (own, { baseUrl, key, model: { id } }) => {
      const head = { name: 'Local Assistant', version: '0.0.1', schema: 'v1' };
      const { models: known = [], ...rest } = own as { readonly models?: readonly object[] };
      const ours = {
        ...{ name: 'Sealed Proxy', provider: 'openai', model: id, apiBase: baseUrl, apiKey: key },
        ...{ roles: ['chat', 'edit', 'apply'], capabilities: ['tool_use'] },
      };
      return stringify({ ...head, ...rest, models: [...known, ours] });
    },
  },
  cline: jsonEntry('.cline/data/settings/providers.json', ({ baseUrl, key, model, now }) => ({
    version: 1,
    lastUsedProvider: 'openai-compatible',
    modes: {},
    providers: {
      'openai-compatible': {
        settings: { provider: 'openai-compatible', apiKey: key, model: model.id, baseUrl },
        updatedAt: new Date(now).toISOString(),
        tokenSource: 'manual',
      },
    },
  })),
  kilo: jsonEntry('.config/kilo/kilo.jsonc', providerEntry),
  opencode: jsonEntry('.config/opencode/opencode.jsonc', providerEntry),
  'qwen-code': jsonEntry('.qwen/settings.json', ({ baseUrl, key, model: { id } }) => ({
    security: { auth: { selectedType: 'openai' } },
    env: { SEALED_PROXY_KEY: key },
    modelProviders: { openai: [{ id, name: id, envKey: 'SEALED_PROXY_KEY', baseUrl }] },
    model: { name: id },
  })),
};

function providerEntry({ baseUrl, key, model: { id } }: AssistantEndpoint): object {
  return {
    provider: {
      'sealed-proxy': {
        npm: '@ai-sdk/openai-compatible',
        name: 'Sealed Proxy',
        options: { baseURL: baseUrl, apiKey: key },
        models: { [id]: { name: id } },
      },
    },
    model: `sealed-proxy/${id}`,
  };
}

function jsonEntry(path: string, entryFor: (endpoint: AssistantEndpoint) => object): Entry {
  return { path, add: (own, endpoint) => JSON.stringify(merged(own, entryFor(endpoint))) };
}

/** With our values, and with our items at the end of lists. */
function merged(own: unknown, ours: unknown): unknown {
  if (Array.isArray(own) && Array.isArray(ours)) return [...(own as unknown[]), ...(ours as unknown[])];
  const [theirs, added] = [asObject(own), asObject(ours)];
  if (theirs === undefined || added === undefined) return ours;
  const values = Object.entries(added).map(([name, value]) => [name, merged(theirs[name], value)] as const);
  return { ...theirs, ...Object.fromEntries(values) };
}

/** The text of the user's own file. */
export function ownText(path: string, own: object | string): string {
  if (typeof own === 'string') return own;
  return path.endsWith('.yaml') ? stringify(own) : JSON.stringify(own);
}

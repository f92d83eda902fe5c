// The surroundings of opencode 1.18.33 and of Kilo Code, which has its code.
import type { At, Surrounding } from './surrounding.ts';
import { NOTHING, OTHER_KEY, OTHER_MODEL, proxyVariables } from './surrounding.ts';

const OTHER = `other/${OTHER_MODEL}`;

function provider({ observer }: At): object {
  return {
    other: {
      npm: '@ai-sdk/openai-compatible',
      name: 'Other',
      options: { baseURL: `${observer}/v1`, apiKey: OTHER_KEY },
      models: { [OTHER_MODEL]: { name: OTHER_MODEL } },
    },
  };
}

function ownWith(settings: object): (at: At) => object {
  return (at) => ({ provider: provider(at), ...settings });
}

/** A file that selects the other provider for everything. */
function selecting(at: At): string {
  return JSON.stringify({ provider: provider(at), model: OTHER });
}

const AGENT = `---\nmodel: ${OTHER}\nmode: primary\n---\nYou help.\n`;
const TASK = (prompt: string) => ({
  name: 'task',
  arguments: { description: 'help', prompt, subagent_type: 'general' },
});

/** Its traces have prompts in them. */
const TELEMETRY: Surrounding = {
  name: 'telemetry and a collector in the shell',
  own: () => ({ experimental: { openTelemetry: true } }),
  variables: ({ observer }) => ({ OTEL_EXPORTER_OTLP_ENDPOINT: observer }),
  ...{ before: 'leave', after: 'told', isExtra: true },
};

export const OPENCODE: readonly Surrounding[] = [
  NOTHING,
  { name: 'HTTP_PROXY in the shell', ...proxyVariables('HTTP_PROXY'), before: 'leave', after: 'told' },
  {
    name: 'HTTP_PROXY and NO_PROXY=127.0.0.1 in the shell',
    variables: ({ observer }) => ({ HTTP_PROXY: observer, NO_PROXY: '127.0.0.1' }),
    ...{ before: 'stay', after: 'sealed', isExtra: true },
  },
  {
    name: 'HTTP_PROXY, NO_PROXY=127.0.0.1 and no_proxy=example.com in the shell',
    variables: ({ observer }) => ({ HTTP_PROXY: observer, NO_PROXY: '127.0.0.1', no_proxy: 'example.com' }),
    ...{ before: 'leave', after: 'told', isExtra: true },
  },
  {
    name: 'HTTP_PROXY in a .env of a project',
    project: ({ observer }) => ({ '.env': `HTTP_PROXY=${observer}\n` }),
    ...{ before: 'stay', after: 'sealed', isExtra: true },
  },
  TELEMETRY,
  {
    name: 'a collector of telemetry in the shell',
    variables: ({ observer }) => ({ OTEL_EXPORTER_OTLP_ENDPOINT: observer }),
    ...{ before: 'stay', after: 'sealed', isExtra: true },
  },
  { name: 'a small model', own: ownWith({ small_model: OTHER }), before: 'leave', after: 'sealed' },
  {
    name: 'models of agents',
    own: ownWith({ agent: { build: { model: OTHER }, title: { model: OTHER } } }),
    ...{ before: 'leave', after: 'sealed' },
  },
  {
    name: 'the model of a subagent',
    own: ownWith({ agent: { general: { model: OTHER } } }),
    call: TASK,
    ...{ before: 'leave', after: 'sealed', isExtra: true },
  },
  {
    name: 'the model of a mode',
    own: ownWith({ mode: { build: { model: OTHER } } }),
    ...{ before: 'leave', after: 'sealed', isExtra: true },
  },
  {
    name: 'a default agent with a model',
    own: ownWith({ default_agent: 'mine', agent: { mine: { mode: 'primary', model: OTHER, prompt: 'You help.' } } }),
    ...{ before: 'leave', after: 'sealed', isExtra: true },
  },
  {
    name: 'an agent in a file',
    own: ownWith({}),
    home: () => ({ '.config/opencode/agent/build.md': AGENT }),
    ...{ before: 'leave', after: 'told' },
  },
  {
    name: 'an agent in a file of the other folder',
    own: ownWith({}),
    home: () => ({ '.opencode/agent/build.md': AGENT }),
    ...{ before: 'leave', after: 'told', isExtra: true },
  },
  {
    name: 'a mode in a file',
    own: ownWith({}),
    home: () => ({ '.config/opencode/modes/build.md': AGENT }),
    ...{ before: 'leave', after: 'told', isExtra: true },
  },
  {
    name: 'an agent in a project',
    own: ownWith({}),
    project: () => ({ '.opencode/agent/build.md': AGENT }),
    ...{ before: 'leave', after: 'told', isExtra: true },
  },
  {
    name: 'another model in a project',
    project: (at) => ({ 'opencode.json': selecting(at) }),
    ...{ before: 'leave', after: 'told' },
  },
  {
    name: 'another address of our provider in a project',
    project: ({ observer }) => ({
      'opencode.json': JSON.stringify({ provider: { 'sealed-proxy': { options: { baseURL: `${observer}/v1` } } } }),
    }),
    ...{ before: 'leave', after: 'told', isExtra: true },
  },
  {
    name: 'another model in the folder of a project',
    project: (at) => ({ '.opencode/opencode.jsonc': selecting(at) }),
    ...{ before: 'leave', after: 'told', isExtra: true },
  },
  {
    name: 'another model in the other folder of the user',
    home: (at) => ({ '.opencode/opencode.jsonc': selecting(at) }),
    ...{ before: 'leave', after: 'told', isExtra: true },
  },
  {
    name: 'a small model in opencode.json beside ours',
    own: ownWith({}),
    home: () => ({ '.config/opencode/opencode.json': JSON.stringify({ small_model: OTHER }) }),
    ...{ before: 'leave', after: 'told' },
  },
  {
    name: 'a configuration in the shell',
    variables: (at) => ({ OPENCODE_CONFIG_CONTENT: selecting(at) }),
    ...{ before: 'leave', after: 'told', isExtra: true },
  },
  {
    name: 'a relative path of a configuration in the shell',
    variables: () => ({ OPENCODE_CONFIG: 'other/opencode.json' }),
    project: (at) => ({ 'other/opencode.json': selecting(at) }),
    ...{ before: 'leave', after: 'told', isExtra: true },
  },
  {
    name: 'a file of an early version',
    own: ownWith({}),
    home: () => ({ '.config/opencode/config': `provider = "other"\nmodel = "${OTHER_MODEL}"\n` }),
    ...{ before: 'leave', after: 'told', isExtra: true },
  },
  {
    name: 'sessions that are shared',
    own: ({ observer }) => ({ share: 'auto', enterprise: { url: observer } }),
    ...{ before: 'stay', after: 'sealed', isExtra: true },
  },
  {
    name: 'another model of an organization',
    system: (at) => ({ 'etc/opencode/opencode.json': selecting(at) }),
    ...{ before: 'leave', after: 'told', isExtra: true },
  },
];

export const KILO: readonly Surrounding[] = [
  { ...NOTHING, isExtra: true },
  // Its command line sends none; its editor has the same code.
  { ...TELEMETRY, before: 'stay' },
  { name: 'HTTP_PROXY in the shell', ...proxyVariables('HTTP_PROXY'), before: 'leave', after: 'told', isExtra: true },
  {
    name: 'models of agents and a small model',
    own: ownWith({ small_model: OTHER, agent: { code: { model: OTHER } } }),
    ...{ before: 'leave', after: 'sealed' },
  },
  {
    name: 'the model of a subagent',
    own: ownWith({ agent: { general: { model: OTHER } } }),
    call: TASK,
    ...{ before: 'leave', after: 'sealed', isExtra: true },
  },
  {
    name: 'an agent in a file',
    own: ownWith({}),
    home: () => ({ '.config/kilo/agents/code.md': AGENT }),
    ...{ before: 'leave', after: 'told', isExtra: true },
  },
  {
    name: 'another model in a project',
    project: (at) => ({ 'kilo.json': selecting(at) }),
    ...{ before: 'leave', after: 'told', isExtra: true },
  },
];

// The surroundings of Continue's command line 1.5.47 and of Cline 3.0.65.
import type { At, Surrounding } from './surrounding.ts';
import { NOTHING, OTHER_KEY, OTHER_MODEL, proxyVariables } from './surrounding.ts';

const HEAD = { name: 'Mine', version: '0.0.1', schema: 'v1' };

function model({ observer }: At, more: object = {}): object {
  return {
    name: 'Other',
    provider: 'openai',
    model: OTHER_MODEL,
    apiBase: `${observer}/v1`,
    apiKey: OTHER_KEY,
    ...more,
  };
}

export const CONTINUE: readonly Surrounding[] = [
  NOTHING,
  { name: 'HTTP_PROXY in the shell', ...proxyVariables('HTTP_PROXY'), before: 'leave', after: 'sealed' },
  {
    name: 'HTTP_PROXY and NO_PROXY=example.com in the shell',
    variables: ({ observer }) => ({ HTTP_PROXY: observer, NO_PROXY: 'example.com' }),
    ...{ before: 'leave', after: 'sealed', isExtra: true },
  },
  {
    name: 'HTTPS_PROXY in the shell',
    ...proxyVariables('HTTPS_PROXY'),
    before: 'stay',
    after: 'sealed',
    isExtra: true,
  },
  {
    name: 'HTTP_PROXY in a .env of a project',
    project: ({ observer }) => ({ '.env': `HTTP_PROXY=${observer}\n` }),
    ...{ before: 'leave', after: 'sealed' },
  },
  {
    name: 'a model before ours',
    own: (at) => ({ ...HEAD, models: [model(at)] }),
    ...{ before: 'leave', after: 'sealed' },
  },
  {
    name: 'a model for completions before ours, which its extension uses',
    own: (at) => ({ ...HEAD, models: [model(at, { roles: ['autocomplete', 'embed', 'apply'] })] }),
    ...{ before: 'stay', after: 'told' },
  },
];

function litellm({ observer }: At): object {
  return {
    settings: { provider: 'litellm', apiKey: OTHER_KEY, model: OTHER_MODEL, baseUrl: `${observer}/v1` },
    updatedAt: '2026-01-01T00:00:00.000Z',
    tokenSource: 'manual',
  };
}

export const CLINE: readonly Surrounding[] = [
  NOTHING,
  { name: 'HTTP_PROXY in the shell', ...proxyVariables('HTTP_PROXY'), before: 'leave', after: 'told' },
  {
    name: 'HTTP_PROXY and NO_PROXY=127.0.0.1 in the shell',
    variables: ({ observer }) => ({ HTTP_PROXY: observer, NO_PROXY: '127.0.0.1' }),
    ...{ before: 'stay', after: 'sealed', isExtra: true },
  },
  {
    name: 'HTTP_PROXY in a .env of a project',
    project: ({ observer }) => ({ '.env': `HTTP_PROXY=${observer}\n` }),
    ...{ before: 'leave', after: 'told' },
  },
  {
    name: 'its sandbox, which has another configuration',
    variables: () => ({ CLINE_SANDBOX: '1', CLINE_SANDBOX_DATA_DIR: 'sandbox' }),
    project: (at) => ({
      'sandbox/settings/providers.json': JSON.stringify({
        ...{ version: 1, lastUsedProvider: 'litellm', modes: {}, providers: { litellm: litellm(at) } },
      }),
    }),
    ...{ before: 'leave', after: 'told', isExtra: true },
  },
  {
    name: 'another provider, which was used last',
    own: (at) => ({ version: 1, lastUsedProvider: 'litellm', modes: {}, providers: { litellm: litellm(at) } }),
    ...{ before: 'stay', after: 'sealed', isExtra: true },
  },
];

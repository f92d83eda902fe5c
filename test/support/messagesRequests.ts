// Requests of the Messages API as clients send them.

export const IMAGE = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

export const MODEL_LIST = {
  object: 'list',
  data: [
    {
      id: 'glm-5-2',
      object: 'model',
      created: 1_700_000_000,
      tasks: ['generate'],
      display_name: 'GLM 5.2',
      context_window: 384_000,
      capabilities: { chat: true, vision: false, reasoning: true, tool_use: true },
    },
    {
      id: 'kimi-k2-6',
      created: 0,
      tasks: ['generate', 'vision'],
      context_window: 256_000,
      max_output_tokens: 32_000,
      capabilities: { chat: true, vision: true, reasoning: true, tool_use: true },
    },
    { id: 'llama3-3-70b', capabilities: { chat: true, vision: false, reasoning: false } },
    { id: 'nomic-embed-text', tasks: ['embed'] },
  ],
};

const tool = (name: string, more: object = {}) => ({
  name,
  description: `The tool ${name}.`,
  input_schema: {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    properties: { path: { type: 'string', description: 'A path' } },
    required: ['path'],
    additionalProperties: false,
  },
  ...more,
});

/** As Claude Code 2.1.330 sends it in the third turn, shortened. */
export const CLAUDE_CODE_REQUEST = {
  model: 'kimi-k2-6',
  messages: [
    {
      role: 'user',
      content: [
        { type: 'text', text: '<system-reminder>\nContext\n</system-reminder>' },
        { type: 'text', text: 'Read the picture.' },
      ],
    },
    { role: 'system', content: '# Environment\nLinux' },
    {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'Two tools.', signature: 'dW5zaWduZWQ=' },
        { type: 'text', text: 'I look.' },
        { type: 'tool_use', id: 'call_1', name: 'Read', input: { path: 'picture.png' } },
        { type: 'tool_use', id: 'call_2', name: 'Bash', input: { path: 'cat nothing' } },
      ],
    },
    {
      role: 'user',
      content: [
        {
          tool_use_id: 'call_1',
          type: 'tool_result',
          content: [{ type: 'image', source: { type: 'base64', data: IMAGE, media_type: 'image/png' } }],
        },
        { type: 'tool_result', content: 'Exit code 1\nNo such file', is_error: true, tool_use_id: 'call_2' },
        { type: 'text', text: 'And now?', cache_control: { type: 'ephemeral' } },
      ],
    },
    {
      role: 'assistant',
      content: [
        { type: 'redacted_thinking', data: 'abc' },
        { type: 'tool_use', id: 'call_3', name: 'ToolSearch', input: { query: 'select:WebFetch' } },
      ],
    },
    {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'call_3', content: [{ type: 'tool_reference', tool_name: 'WebFetch' }] },
        { type: 'document', title: 'Notes', source: { type: 'text', media_type: 'text/plain', data: 'The notes.' } },
      ],
    },
  ],
  system: [
    { type: 'text', text: 'x-anthropic-billing-header: cc_version=2.1.330.aad; cc_entrypoint=sdk-cli;' },
    { type: 'text', text: 'You are an agent.', cache_control: { type: 'ephemeral' } },
    { type: 'text', text: '\nBe brief.', cache_control: { type: 'ephemeral' } },
  ],
  tools: [
    tool('Read'),
    tool('Bash', { type: 'custom', strict: true }),
    tool('ToolSearch'),
    tool('WebFetch', { defer_loading: true }),
    tool('DeferredToolPlaceholder', { defer_loading: true }),
  ],
  tool_choice: { type: 'auto', disable_parallel_tool_use: true },
  metadata: { user_id: '{"device_id":"71c4"}' },
  max_tokens: 32_000,
  temperature: 1,
  top_p: 0.9,
  top_k: 40,
  stop_sequences: ['END'],
  thinking: { type: 'adaptive', display: 'omitted' },
  context_management: { edits: [{ type: 'clear_thinking_20251015', keep: 'all' }] },
  output_config: { effort: 'high', format: { type: 'json_schema', schema: { type: 'object' } } },
  service_tier: 'auto',
  stream: true,
};

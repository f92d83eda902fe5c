// The models of the development enclave, in the format of the real backend.

export interface ChatCapabilities {
  readonly chat: true;
  readonly vision: boolean;
  readonly reasoning: boolean;
  readonly tool_use: boolean;
}

function model(id: string, name: string, tasks: readonly string[]) {
  return { id, object: 'model', created: 0, owned_by: 'opensecret', tasks, display_name: name, short_name: name };
}

function chatModel(
  id: string,
  name: string,
  contextWindow: number,
  access: 'free' | 'starter' | 'pro',
  skills: readonly ('vision' | 'reasoning' | 'tools')[],
  badges: readonly string[] = [],
) {
  const vision = skills.includes('vision');
  const capabilities: ChatCapabilities = {
    chat: true,
    vision,
    reasoning: skills.includes('reasoning'),
    tool_use: skills.includes('tools'),
  };
  return {
    ...model(id, name, vision ? ['generate', 'vision'] : ['generate']),
    context_window: contextWindow,
    max_context_tokens: contextWindow,
    access,
    capabilities,
    badges,
  };
}

export const EMBEDDING_MODEL = 'nomic-embed-text';

const CHAT_MODELS = [
  chatModel('gpt-oss-120b', 'GPT-OSS 120B', 128_000, 'starter', ['reasoning', 'tools']),
  chatModel('kimi-k2-6', 'Kimi K2.6', 256_000, 'pro', ['vision', 'reasoning', 'tools'], ['New']),
  chatModel('gemma4-31b', 'Gemma 4 31B', 256_000, 'starter', ['vision', 'tools']),
  chatModel('glm-5-2', 'GLM 5.2', 384_000, 'pro', ['reasoning', 'tools'], ['Coding']),
  chatModel('llama3-3-70b', 'Llama 3.3 70B', 128_000, 'free', []),
  chatModel('deepseek-v4-flash', 'DeepSeek V4 Flash', 800_000, 'pro', ['reasoning', 'tools'], ['Fast']),
];

export const MODELS = [
  ...CHAT_MODELS,
  model(EMBEDDING_MODEL, 'Nomic Embed Text', ['embed']),
  model('whisper-large-v3', 'Whisper Large V3', ['transcribe']),
];

/** The capabilities of a chat model; undefined for unknown ids and for other models. */
export function chatCapabilities(id: string): ChatCapabilities | undefined {
  return CHAT_MODELS.find((entry) => entry.id === id)?.capabilities;
}

// What is known about widely used AI extensions, by their IDs. Those that Sealed Proxy configures name their ID in
// src/assistants/adapters instead. A selection, not the most installed ones: the install counts of the Visual Studio
// Marketplace could not be queried. Read in 2026-11.

export type Knowledge =
  /** It is what the section calls VS Code's chat, side prompts and inline suggestions. */
  | { readonly kind: 'chat' }
  /** Its prompts go there, and no setting can send them to an OpenAI-compatible address. */
  | { readonly kind: 'goesTo'; readonly recipient: string }
  /** The user selects a provider in it, also an OpenAI-compatible one; no other extension can read the choice. */
  | { readonly kind: 'ownChoice' }
  /** It sends no prompts itself. */
  | { readonly kind: 'sendsNone'; readonly sentence: string }
  /** Nothing reliable was found. */
  | { readonly kind: 'unknown' };

export interface KnownExtension {
  readonly ids: readonly [string, ...string[]];
  readonly name: string;
  readonly knowledge: Knowledge;
  /** Where the statement was read. */
  readonly source: string;
}

const goesTo = (recipient: string): Knowledge => ({ kind: 'goesTo', recipient });

export const KNOWN_EXTENSIONS: readonly KnownExtension[] = [
  {
    ids: ['GitHub.copilot', 'GitHub.copilot-chat'],
    name: 'GitHub Copilot',
    knowledge: { kind: 'chat' },
    source: 'the extension of this ID that VS Code 1.139 contains',
  },
  {
    ids: ['Google.geminicodeassist'],
    name: 'Gemini Code Assist',
    knowledge: goesTo('Google'),
    source: 'https://developers.google.com/gemini-code-assist/docs/works',
  },
  {
    ids: ['AmazonWebServices.amazon-q-vscode'],
    name: 'Amazon Q',
    knowledge: goesTo('Amazon Web Services'),
    source: 'https://docs.aws.amazon.com/toolkit-for-vscode/latest/userguide/endpoints.html',
  },
  {
    ids: ['Codeium.codeium'],
    name: 'Windsurf Plugin (Codeium)',
    knowledge: goesTo("Windsurf, or to your company's Windsurf server"),
    source: 'https://docs.windsurf.com/plugins/getting-started',
  },
  {
    ids: ['TabNine.tabnine-vscode', 'TabNine.tabnine-vscode-self-hosted-updater'],
    name: 'Tabnine',
    knowledge: goesTo("Tabnine, or to your company's Tabnine server"),
    source: 'https://docs.tabnine.com/main/administering-tabnine/managing-your-team/settings/models-settings',
  },
  {
    ids: ['sourcegraph.cody-ai'],
    name: 'Cody',
    knowledge: goesTo("your company's Sourcegraph server"),
    source: 'https://sourcegraph.com/docs/cody/core-concepts/cody-gateway',
  },
  {
    ids: ['sourcegraph.amp'],
    name: 'Amp',
    knowledge: goesTo('ampcode.com'),
    source: 'https://ampcode.com/security',
  },
  {
    ids: ['Augment.vscode-augment'],
    name: 'Augment',
    knowledge: goesTo('Augment'),
    source: 'https://docs.augmentcode.com/quickstart',
  },
  {
    ids: ['Alibaba-Cloud.tongyi-lingma'],
    name: 'Lingma',
    knowledge: goesTo("Alibaba Cloud, or to your company's Lingma server"),
    source: 'https://www.alibabacloud.com/help/en/lingma/user-guide/install-lingma',
  },
  {
    ids: ['RooVeterinaryInc.roo-cline'],
    name: 'Roo Code',
    knowledge: { kind: 'ownChoice' },
    source: 'https://docs.roocode.com/providers/openai-compatible',
  },
  {
    ids: ['DanielSanMedium.dscodegpt'],
    name: 'CodeGPT',
    knowledge: { kind: 'ownChoice' },
    source: 'https://docs.codegpt.co/docs/tutorial-ai-providers/custom',
  },
  {
    ids: ['ms-windows-ai-studio.windows-ai-studio'],
    name: 'AI Toolkit',
    knowledge: { kind: 'ownChoice' },
    source: 'https://code.visualstudio.com/docs/intelligentapps/faq',
  },
  {
    ids: ['Supermaven.supermaven'],
    name: 'Supermaven',
    knowledge: { kind: 'unknown' },
    source: 'the code policy of Supermaven was not readable',
  },
  {
    ids: ['Blackboxapp.blackbox', 'Blackboxapp.blackboxagent'],
    name: 'Blackbox AI',
    knowledge: { kind: 'unknown' },
    source: 'the documentation of the extension was not readable',
  },
  {
    ids: ['qwenlm.qwen-code-vscode-ide-companion'],
    name: 'Qwen Code Companion',
    knowledge: { kind: 'unknown' }, // it contains a Qwen Code of its own; no document says which settings that one reads
    source: 'https://qwenlm.github.io/qwen-code-docs/en/users/integration-vscode',
  },
  {
    ids: ['sst-dev.opencode'],
    name: 'opencode (extension)',
    knowledge: { kind: 'sendsNone', sentence: 'Sends no prompts itself. It opens opencode in a terminal.' },
    source: 'https://opencode.ai/docs/ide/',
  },
  {
    ids: ['Google.gemini-cli-vscode-ide-companion'],
    name: 'Gemini CLI Companion',
    knowledge: {
      kind: 'sendsNone',
      sentence: 'Sends no prompts itself. It tells Gemini CLI, which runs in a terminal, which files are open.',
    },
    source: 'https://geminicli.com/docs/ide-integration',
  },
];

/** @param id in any case, as the editor treats it */
export function knownExtension(id: string): KnownExtension | undefined {
  return KNOWN_EXTENSIONS.find(({ ids }) => ids.some((each) => each.toLowerCase() === id.toLowerCase()));
}

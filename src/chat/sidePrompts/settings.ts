// The names of the editor's settings that decide where side prompts go. Read in VS Code 1.139.1 and the GitHub Copilot Chat
// 0.67 that comes with it. Pure.

export const SETTINGS = {
  aiOff: 'chat.disableAIFeatures',
  newChats: 'chat.defaultModel',
  /** `vendor/id`. Without it, or if no such model is offered, the fallback applies. */
  utilitySmall: 'chat.utilitySmallModel',
  /** The same for larger tasks. */
  utility: 'chat.utilityModel',
  /** `none`, `mainAgent` or `copilot`. */
  utilityFallback: 'chat.byokUtilityModelDefault',
  /** `name (vendor)`, like all below that name a model. Empty: the selected model. */
  plan: 'chat.planAgent.defaultModel',
  explore: 'chat.exploreAgent.defaultModel',
  exploreOld: 'github.copilot.chat.exploreAgent.model',
  ask: 'github.copilot.chat.askAgent.model',
  implement: 'github.copilot.chat.implementAgent.model',
  inlineChat: 'inlineChat.defaultModel',
  riskAssessment: 'chat.tools.riskAssessment.enabled',
  /** The id of one of Copilot's models. `copilot-utility-small` stands for the small utility model. */
  riskModel: 'chat.tools.riskAssessment.model',
  agentHost: 'chat.agentHost.byokModels.enabled',
  /** By language; `*` for all others. */
  ghostText: 'github.copilot.enable',
  nextEdits: 'github.copilot.nextEditSuggestions.enabled',
  searchSubagent: 'github.copilot.chat.searchSubagent.enabled',
  executionSubagent: 'github.copilot.chat.executionSubagent.enabled',
  dictation: 'dictation.enabled',
  dictationModel: 'dictation.model',
  dictationCleanup: 'dictation.experimental.llmCleanup',
} as const;

export type SettingName = (typeof SETTINGS)[keyof typeof SETTINGS];

/** The value of `riskModel` that stands for the small utility model. */
export const SMALL_UTILITY_ALIAS = 'copilot-utility-small';

/** Besides SETTINGS, those with "model" in their name whose meaning is known; no prompt goes elsewhere because of them alone. */
const HARMLESS = [
  'chat.experimentalModelPicker',
  'chat.modelPicker.pricingExpanded',
  'chat.tools.terminal.enforceTimeoutFromModel',
  'chat.copilot.subagentModelGuidance.enabled',
  'chat.agentHost.copilot.modelCapabilityOverrides',
  'dictation.experimental.llmCleanupModel',
  'github.copilot.selectedCompletionModel',
  'github.copilot.chat.alternateGeminiModelFPrompt.enabled',
  'github.copilot.chat.inlineEdits.xtabProvider.modelConfiguration',
  'github.copilot.chat.modelCapabilityOverrides',
  'github.copilot.chat.workspace.preferredEmbeddingsModel',
  'github.copilot.chat.instantApply.shortContextModelName',
  'github.copilot.chat.executionSubagent.model',
  'github.copilot.chat.searchSubagent.model',
  'github.copilot.nextEditSuggestions.preferredModel',
  'github.copilot.chat.cli.autoModel.enabled',
  'github.copilot.chat.agent.modelDetails.enabled',
];

const KNOWN: ReadonlySet<string> = new Set([...Object.values(SETTINGS), ...HARMLESS]);

/** The settings of these sections are read to find those that a newer editor has added. */
export const SECTIONS = ['chat', 'inlineChat', 'dictation', 'github.copilot'] as const;

/** Whether a setting with this name may name a model. */
export function mayNameModel(key: string): boolean {
  return /model/i.test(key);
}

/** Those that this version of Sealed Proxy does not know. */
export function unknownSettings(keys: readonly string[]): readonly string[] {
  return keys.filter((key) => mayNameModel(key) && !KNOWN.has(key));
}

import type { EditorFacts, OfferedModel, SettingFacts } from '../../src/chat/sidePrompts/facts.ts';
import { SETTINGS } from '../../src/chat/sidePrompts/settings.ts';

export const OUR_LARGE: OfferedModel = { vendor: 'sealed-proxy', id: 'large-1', name: 'Large 1' };
export const OUR_SMALL: OfferedModel = { vendor: 'sealed-proxy', id: 'small-1', name: 'Small 1' };
export const OTHER: OfferedModel = { vendor: 'other', id: 'large-1', name: 'Large 1' };
export const COPILOTS: OfferedModel = { vendor: 'copilot', id: 'gpt-9', name: 'GPT-9' };

/** The defaults of VS Code 1.139.1 and GitHub Copilot Chat 0.67. */
const DEFAULTS: Readonly<Record<string, unknown>> = {
  ...Object.fromEntries(Object.values(SETTINGS).map((key) => [key, ''])),
  [SETTINGS.aiOff]: false,
  [SETTINGS.utilityFallback]: 'copilot',
  [SETTINGS.riskAssessment]: true,
  [SETTINGS.riskModel]: 'copilot-utility-small',
  [SETTINGS.agentHost]: false,
  [SETTINGS.ghostText]: { '*': true, plaintext: false },
  [SETTINGS.nextEdits]: true,
  [SETTINGS.searchSubagent]: false,
  [SETTINGS.executionSubagent]: false,
  [SETTINGS.dictation]: true,
  [SETTINGS.dictationModel]: 'nemotron',
  [SETTINGS.dictationCleanup]: true,
};

export interface FactsChange extends Partial<Omit<EditorFacts, 'setting'>> {
  /** The user's values; undefined = the editor does not have the setting. */
  readonly values?: Readonly<Record<string, unknown>>;
  /** The settings that a workspace overrides. */
  readonly overridden?: readonly string[];
}

/** A new profile in which a user is signed in to GitHub Copilot, and Sealed Proxy offers two models. */
export function makeFacts({ values = {}, overridden = [], ...change }: FactsChange = {}): EditorFacts {
  return {
    version: '1.139.1',
    attested: true,
    modelSettings: Object.values(SETTINGS).filter((key) => /model/i.test(key)),
    models: [OUR_LARGE, OUR_SMALL, OTHER, COPILOTS],
    vendorName: (vendor) => (vendor === 'other' ? 'Other Vendor' : vendor),
    ...change,
    setting: (key): SettingFacts | undefined => {
      const value = key in values ? values[key] : DEFAULTS[key];
      if (value === undefined) return undefined;
      return { value, userValue: values[key], overridden: overridden.includes(key) };
    },
  };
}

// What the dashboard shows: records, of which the web view makes its rows and most sentences. A text may be from any source:
// the web view never interprets it as HTML, and makes it safe to show (web/text.ts). Times in milliseconds since 1970.
import type { ChatModel } from '../chat/models.ts';
import type { Mark } from '../chat/sidePrompts/mark.ts';
import type { AccessKey } from '../keys/accessKeys.ts';
import type { StepOutcome } from '../presentation/attestationSteps.ts';
import type { CommandName, VisibleCommand } from '../presentation/commands.ts';
import type { Fact, Tone } from '../presentation/text.ts';
import type { PromptMap } from '../promptMap/promptMap.ts';
import type { RequestRecord, UsageSum } from '../shared/activity.ts';

/** The sections of the dashboard, in order. */
export const SECTIONS = ['overview', 'prompts', 'sidePrompts', 'attestation', 'requests', 'usage', 'clients'] as const;
export type Section = (typeof SECTIONS)[number];

/** What to do with a connection. */
export const NEXT_STEPS = ['openChat', 'connectAssistant'] as const satisfies readonly CommandName[];
/** Commands that the dashboard may run in every state. */
export const ALWAYS_OFFERED = [...NEXT_STEPS, 'openSettings'] as const satisfies readonly CommandName[];
export type NextStep = (typeof NEXT_STEPS)[number];
/** Commands that help after a request has failed, whatever the state is now. */
export const FAILURE_ACTIONS = [
  'checkConnection',
  'connectAssistant',
  'diagnose',
  'reviewImage',
  'setApiKey',
  'showAttestation',
  'showLog',
] as const satisfies readonly VisibleCommand[];
/** `showModels`: the list of models in the overview. */
export type FailureAction = (typeof FAILURE_ACTIONS)[number] | 'showModels';
export const ASK_IN_CHAT = 'Ask in Chat';

/** What a section says first. */
export interface Summary {
  readonly tone: Tone;
  /** The state in one sentence. */
  readonly headline: string;
  /** What to do, or what the state means; may be empty. */
  readonly detail: string;
}

export interface ConnectionSection extends Summary {
  /** What the user most likely needs now; null while there is only to wait. */
  readonly primary: VisibleCommand | NextStep | null;
  /** As buttons. */
  readonly actions: readonly VisibleCommand[];
  readonly facts: readonly Fact[];
  /** Empty unless the proxy is connected, like the next ones. */
  readonly chatModels: readonly ChatModel[];
  /** The ids of the models that are not for chat. */
  readonly otherModels: readonly string[];
}

export interface PromptsSection extends PromptMap {
  /** The extension does not run on the computer in front of the user. */
  readonly isRemote: boolean;
}

/** A setting that decides where a side prompt goes, with the values that apply in this window. */
export interface SettingRow {
  readonly key: string;
  readonly now: unknown;
  /** Equal to `now` if sealing does not change it. */
  readonly after: unknown;
}

export interface SidePromptRow {
  /** Unique in the list. */
  readonly title: string;
  readonly reason: string;
  readonly now: Mark;
  /** Once it is sealed; null while no models are recommended. */
  readonly after: Mark | null;
  /** It cannot be sealed, but a setting can turn it off. */
  readonly canTurnOff: boolean;
  readonly settings: readonly SettingRow[];
}

export interface SidePromptsSection {
  readonly rows: readonly SidePromptRow[];
  /** The names of the recommended models; null while Sealed Proxy offers none. */
  readonly recommended: { readonly utility: string; readonly agent: string } | null;
  /** There are other models to choose from. */
  readonly hasChoice: boolean;
  /** How many user settings sealing with the recommended models would write. */
  readonly changes: number;
  readonly canUndo: boolean;
}

export const SEALING_ACTIONS = ['seal', 'sealWithOthers', 'turnOff', 'undo'] as const;
export type SealingAction = (typeof SEALING_ACTIONS)[number];

export interface AttestationStep extends StepOutcome {
  /** The exact values that were compared. */
  readonly examined: readonly Fact[];
}

/** The checks that answer one question. */
export interface AttestationGroup {
  readonly question: string;
  readonly result: StepOutcome['result'];
  /** The answer, in a sentence. */
  readonly verdict: string;
  /** Why a check failed and what to do, in sentences; empty unless one did. */
  readonly reason: string;
  readonly steps: readonly AttestationStep[];
}

export interface ChainCertificate {
  readonly role: 'root' | 'intermediate' | 'leaf';
  /** The common name, or the complete subject. */
  readonly name: string;
  readonly subject: string;
  readonly validFrom: number;
  readonly validTo: number;
  /** Lower-case hex. */
  readonly sha256: string;
}

export interface AttestationSection extends Summary {
  /** Empty if there was nothing to check. */
  readonly groups: readonly AttestationGroup[];
  /** Root first; empty if there is none. */
  readonly chain: readonly ChainCertificate[];
  /** Null without a document that names one. */
  readonly image: {
    readonly pcr0: string;
    /** A sentence. */
    readonly approval: string;
  } | null;
  /** Limits of the verification, as sentences. */
  readonly limits: readonly string[];
  readonly canSaveEvidence: boolean;
}

/** A request, and whose it is. */
export interface NamedRequest extends RequestRecord {
  /** The name of the client. */
  readonly client: string;
}

export const RANGES = ['day', 'week', 'quarter'] as const;
/** The last 48 hours or 7 days by the hour, the last 90 days by the day. */
export type Range = (typeof RANGES)[number];
export const GROUPINGS = ['client', 'model'] as const;
export type Grouping = (typeof GROUPINGS)[number];

/** What is counted, in order. `errors`: of the requests, those that were refused, failed or broken. */
export const MEASURES = ['requests', 'errors', 'tokensIn', 'tokensOut'] as const satisfies readonly (keyof UsageSum)[];
export type Measure = (typeof MEASURES)[number];

/** One line of the charts; each list has a value for each time. */
export interface UsageSeries extends Readonly<Record<Measure, readonly number[]>> {
  readonly name: string;
}

export type UsageTotals = Pick<UsageSum, Measure | 'tokensCached'>;

export interface UsageView {
  readonly range: Range;
  readonly by: Grouping;
  /** False: the user has turned the recording off. */
  readonly recording: boolean;
  /** Since midnight in local time. */
  readonly today: UsageTotals;
  /** The start of the first hour or day of the range with a request; null without any. */
  readonly since: number | null;
  /** Of the range. */
  readonly totals: UsageTotals;
  /** The median of the times to the first byte in the range, in milliseconds; null without any. */
  readonly firstByte: number | null;
  /** The start of each hour, or of each day in local time, from `since` on; some are before it if there were only few. */
  readonly times: readonly number[];
  /** Those with most tokens first; at most eight, the last one may be all others together. */
  readonly series: readonly UsageSeries[];
  /** Time to the first byte, in milliseconds; null where there was no response. */
  readonly median: readonly (number | null)[];
  readonly percentile95: readonly (number | null)[];
}

/** An assistant's configuration. */
export interface ClientConfig {
  /** The id of the assistant. */
  readonly id: string;
  readonly tone: Tone;
  /** Such as `Connected, model X`. */
  readonly state: string;
  readonly actions: readonly AssistantAction[];
  /** The result of the last action, as a sentence; empty if there was none. */
  readonly note: string;
}

export const ACTIONS = ['undo', 'check', 'repair'] as const;
export type AssistantAction = (typeof ACTIONS)[number];

/** One client. It has an access key, a configuration that Sealed Proxy changes, or both. */
export interface ClientRow {
  readonly name: string;
  readonly key: Omit<AccessKey, 'key' | 'name'> | null;
  readonly config: ClientConfig | null;
}

export interface DashboardState {
  readonly connection: ConnectionSection;
  /** The ids of the models that the backend offers, or offered last; empty if they are not known. */
  readonly offeredModels: readonly string[];
  readonly prompts: PromptsSection;
  /** Null before the editor was read for the first time. */
  readonly sidePrompts: SidePromptsSection | null;
  readonly attestation: AttestationSection;
  readonly clients: readonly ClientRow[];
}

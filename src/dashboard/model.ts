// What the dashboard shows, and the messages between the extension and its web view. Every text is plain text: the web view
// never interprets it as HTML. Times in milliseconds since 1970.

export type Tone = 'good' | 'warning' | 'error' | 'neutral';

/** The sections of the dashboard, in order. */
export const SECTIONS = ['connection', 'prompts', 'attestation', 'requests', 'usage', 'clients'] as const;
export type Section = (typeof SECTIONS)[number];

/** A command of the extension, as a button. */
export interface CommandButton {
  readonly name: string;
  readonly title: string;
}

export interface Fact {
  readonly name: string;
  readonly value: string;
}

export interface ModelRow {
  readonly id: string;
  readonly name: string;
  /** In tokens; null for a model that is not for chat. */
  readonly contextWindow: number | null;
  readonly maxOutput: number | null;
  /** Such as `Tools`, `Images`, `Reasoning`. */
  readonly capabilities: readonly string[];
}

export interface ConnectionSection {
  readonly tone: Tone;
  /** The state in one sentence. */
  readonly headline: string;
  /** What to do, or what the state means; may be empty. */
  readonly detail: string;
  readonly buttons: readonly CommandButton[];
  readonly facts: readonly Fact[];
  readonly models: readonly ModelRow[];
}

/** Where the prompts of a program, or of a part of the editor, go. */
export type SenderVerdict =
  /** To another provider. */
  | 'elsewhere'
  /** Some to a verified enclave, others to another provider. */
  | 'partly'
  | 'unknown'
  /** To the model that the user selects each time. */
  | 'depends'
  /** Only to a development backend, encrypted. */
  | 'development'
  /** Nowhere: its requests fail until the proxy works. */
  | 'blocked'
  /** Only to a verified enclave. */
  | 'sealed'
  /** It sends none. */
  | 'off';

export interface SenderRow {
  readonly id: string;
  readonly name: string;
  readonly verdict: SenderVerdict;
  /** The verdict in one or two words. */
  readonly word: string;
  readonly tone: Tone;
  readonly sentence: string;
  /** Each kind of prompt, with where it goes; may be empty. */
  readonly details: readonly Fact[];
  /** The title of its button; empty without one. */
  readonly button: string;
}

export interface SenderGroup {
  readonly title: string;
  /** What is said if there are no rows. */
  readonly none: string;
  readonly rows: readonly SenderRow[];
}

/** The names of the senders with a verdict. */
export interface VerdictLine {
  /** The verdict in one or two words. */
  readonly word: string;
  readonly names: string;
}

export interface PromptsSection {
  readonly tone: Tone;
  readonly headline: string;
  /** May be empty. */
  readonly detail: string;
  /** One for each verdict of those that send prompts; the worst first. */
  readonly verdicts: readonly VerdictLine[];
  /** What helps while requests fail. */
  readonly buttons: readonly CommandButton[];
  /** How many senders have each verdict; the worst first. */
  readonly counts: readonly {
    readonly verdict: SenderVerdict;
    readonly word: string;
    readonly tone: Tone;
    readonly count: number;
  }[];
  readonly groups: readonly SenderGroup[];
  /** What the list cannot show, as sentences. */
  readonly limits: readonly string[];
}

export interface AttestationStep {
  readonly what: string;
  readonly result: 'passed' | 'failed' | 'notReached' | 'notChecked';
  /** What was found, in a few words; may be empty. */
  readonly found: string;
  /** The exact values that were compared. */
  readonly examined: readonly Fact[];
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

export interface AttestationSection {
  readonly tone: Tone;
  readonly headline: string;
  readonly detail: string;
  readonly steps: readonly AttestationStep[];
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

export interface RequestRow {
  /** Increases with each request. */
  readonly id: number;
  readonly at: number;
  readonly client: string;
  /** Such as `Chat`, `Embeddings`, `Models`, `Messages`, `Responses`. */
  readonly route: string;
  /** Empty if the response names none. */
  readonly model: string;
  /** 0 until the response starts. */
  readonly status: number;
  readonly firstByteMs: number | null;
  readonly durationMs: number;
  readonly tokensIn: number | null;
  readonly tokensOut: number | null;
  readonly tokensCached: number | null;
  readonly tokensPerSecond: number | null;
  /** How it ended, in a few words. */
  readonly end: string;
  readonly tone: Tone;
  readonly running: boolean;
}

export const RANGES = ['day', 'week', 'quarter'] as const;
/** The last 48 hours or 7 days by the hour, the last 90 days by the day. */
export type Range = (typeof RANGES)[number];
export type Grouping = 'client' | 'model';

/** One line of the charts; each list has a value for each time. */
export interface UsageSeries {
  readonly name: string;
  readonly requests: readonly number[];
  readonly tokensIn: readonly number[];
  readonly tokensOut: readonly number[];
}

export interface UsageView {
  readonly range: Range;
  readonly by: Grouping;
  /** False: the user has turned the recording off. */
  readonly recording: boolean;
  /** The start of each hour, or of each day in local time. */
  readonly times: readonly number[];
  /** Those with most tokens first; at most eight, the last one may be all others together. */
  readonly series: readonly UsageSeries[];
  /** Time to the first byte, in milliseconds; null where there was no response. */
  readonly median: readonly (number | null)[];
  readonly percentile95: readonly (number | null)[];
}

export interface KeyRow {
  readonly id: string;
  readonly name: string;
  /** What made it, such as `Created by you`, `Claude Code`. */
  readonly origin: string;
  readonly createdAt: number;
  readonly lastUsedAt: number | null;
  /** False for the extension's own key. */
  readonly revocable: boolean;
}

export interface AssistantRow {
  readonly id: string;
  readonly name: string;
  readonly tone: Tone;
  /** Such as `connected, model X`. */
  readonly state: string;
  readonly actions: readonly AssistantAction[];
  /** The result of the last action, as a sentence; empty if there was none. */
  readonly note: string;
}

export type AssistantAction = 'undo' | 'check' | 'repair';

export interface ClientsSection {
  readonly keys: readonly KeyRow[];
  readonly assistants: readonly AssistantRow[];
}

export interface DashboardState {
  readonly connection: ConnectionSection;
  readonly prompts: PromptsSection;
  readonly attestation: AttestationSection;
  readonly clients: ClientsSection;
}

/** From the extension to the web view. */
export type ToDashboard =
  | { readonly type: 'state'; readonly state: DashboardState }
  /** `reset`: forget the rows so far. A row replaces the one with the same id. */
  | { readonly type: 'requests'; readonly reset: boolean; readonly rows: readonly RequestRow[] }
  | { readonly type: 'usage'; readonly view: UsageView }
  | { readonly type: 'show'; readonly section: Section };

/** From the web view to the extension, which checks each message. */
export type FromDashboard =
  /** The web view is loaded: send everything. */
  | { readonly type: 'ready' }
  /** One of the commands that the connection section offers. */
  | { readonly type: 'command'; readonly name: string }
  | { readonly type: 'saveEvidence' }
  /** The button of the sender with this id. */
  | { readonly type: 'remedy'; readonly id: string }
  | { readonly type: 'usageView'; readonly range: Range; readonly by: Grouping }
  | { readonly type: 'eraseUsage' }
  | { readonly type: 'revokeKey'; readonly id: string }
  | { readonly type: 'assistant'; readonly action: AssistantAction; readonly id: string };

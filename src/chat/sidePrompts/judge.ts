// The kinds of side prompts: where each one goes, and what to set so that it goes to our models or is not sent. In doubt, a
// side prompt is not sealed: `sealed` is said only if a setting names one of our models, the editor offers that model now,
// its backend is attested, and this version of the editor is known. Pure.
import { isDeepStrictEqual } from 'node:util';
import { fieldsOf } from '../../shared/json.ts';
import {
  COPILOT,
  DEVELOPMENT_BACKEND,
  GITHUB,
  GITHUB_VENDORS,
  OUR_VENDOR,
  copilotState,
  isAiOff,
  isVerifiedVersion,
  qualifiedName,
  qualifiedTarget,
  utilityTarget,
  utilityValue,
} from './facts.ts';
import type { EditorFacts, Target, UserSetting } from './facts.ts';
import type { Mark, SidePrompt } from './mark.ts';
import type { SealingModels } from './proposal.ts';
import { SETTINGS, SMALL_UTILITY_ALIAS, unknownSettings } from './settings.ts';
import type { SettingName } from './settings.ts';

const SUBAGENTS = [SETTINGS.searchSubagent, SETTINGS.executionSubagent] as const;

type Verdict = Pick<SidePrompt, 'mark' | 'reason'>;

/** All kinds of side prompts, in the order in which users are shown them. */
export function judgeSidePrompts(facts: EditorFacts): readonly SidePrompt[] {
  const listed = CATALOGUE.map(({ title, settings, judge }): SidePrompt => {
    const missing = settings.find((key) => facts.setting(key) === undefined);
    const verdict = missing === undefined ? judge(facts) : notInThisEditor(missing, facts);
    return { title, settings, ...qualified(verdict, facts) };
  });
  if (isAiOff(facts) && isVerifiedVersion(facts.version)) return listed; // there is no chat either
  return [...listed, ...otherProviders(facts), ...newSettings(facts)];
}

/** A setting to write. */
export interface SettingChange extends UserSetting {
  readonly key: SettingName;
}

/** The changes that send side prompts to these models. Settings that have the right value already are left out. */
export function sealingChanges(facts: EditorFacts, models: SealingModels): readonly SettingChange[] {
  return CATALOGUE.flatMap(({ seal }) => seal?.(facts, models) ?? []);
}

/** The same for the recommended models: a setting that names another one of our models keeps it. */
export function recommendedChanges(facts: EditorFacts, models: SealingModels): readonly SettingChange[] {
  return sealingChanges(facts, models).filter(({ key }) => !namesOurs(facts, key));
}

/** The changes that turn off what cannot be sealed. */
export function turningOffChanges(facts: EditorFacts): readonly SettingChange[] {
  return CATALOGUE.flatMap(({ judge, turnOff }) =>
    turnOff === undefined || judge(facts).mark.kind === 'off' ? [] : turnOff(facts),
  );
}

/** All that is known about one kind of side prompt. */
interface Entry {
  readonly title: string;
  /** Without one of them, the verdict is not known. */
  readonly settings: readonly SettingName[];
  readonly judge: (facts: EditorFacts) => Verdict;
  /** What sends it to one of these models. */
  readonly seal?: (facts: EditorFacts, models: SealingModels) => readonly SettingChange[];
  /** What turns it off if it cannot be sealed. */
  readonly turnOff?: (facts: EditorFacts) => readonly SettingChange[];
}

const CATALOGUE: readonly Entry[] = [
  utilityPrompt('Titles, summaries, commit messages', SETTINGS.utilitySmall),
  utilityPrompt('Reviews, debug setup, settings search', SETTINGS.utility),
  {
    title: 'Fallback for the utility models',
    settings: [SETTINGS.utilityFallback],
    judge: fallbackVerdict,
    seal: (facts) => changed(facts, SETTINGS.utilityFallback, 'none'),
  },
  {
    title: 'Risk of tool calls',
    settings: [SETTINGS.riskModel, SETTINGS.riskAssessment],
    judge: riskVerdict,
    seal: (facts) => changed(facts, SETTINGS.riskModel, SMALL_UTILITY_ALIAS),
  },
  agentPrompt('Plan agent', SETTINGS.plan, (facts) => agentVerdict(facts, SETTINGS.plan)),
  agentPrompt('Explore agent', SETTINGS.explore, (facts) => agentVerdict(facts, SETTINGS.explore, SETTINGS.exploreOld)),
  followingPrompt('Ask agent', SETTINGS.ask),
  followingPrompt('Implementation of a plan', SETTINGS.implement),
  agentPrompt('Inline chat', SETTINGS.inlineChat, inlineChatVerdict),
  { title: 'Model of new chats', settings: [SETTINGS.newChats], judge: newChatsVerdict },
  {
    title: 'Agent host',
    settings: [SETTINGS.agentHost],
    judge: agentHostVerdict,
    seal: (facts) => changed(facts, SETTINGS.agentHost, true),
  },
  {
    title: 'Ghost text',
    settings: [SETTINGS.ghostText],
    judge: ghostTextVerdict,
    turnOff: (facts) => {
      const languages = Object.keys(fieldsOf(facts.setting(SETTINGS.ghostText)?.value));
      return changed(facts, SETTINGS.ghostText, Object.fromEntries(['*', ...languages].map((name) => [name, false])));
    },
  },
  {
    title: 'Next edit suggestions',
    settings: [SETTINGS.nextEdits],
    judge: nextEditsVerdict,
    turnOff: (facts) => changed(facts, SETTINGS.nextEdits, false),
  },
  {
    title: 'Search and execution subagents',
    settings: SUBAGENTS,
    judge: subagentsVerdict,
    turnOff: (facts) =>
      SUBAGENTS.filter((key) => facts.setting(key) !== undefined && facts.setting(key)?.userValue !== false).map(
        (key) => ({ key, value: false }),
      ),
  },
  {
    title: 'Dictation',
    settings: [SETTINGS.dictation, SETTINGS.dictationModel, SETTINGS.dictationCleanup],
    judge: dictationVerdict,
    // The model at Microsoft hears the speech itself; the other one runs on this computer.
    turnOff: (facts) => changed(facts, isAtMicrosoft(facts) ? SETTINGS.dictation : SETTINGS.dictationCleanup, false),
  },
  {
    title: 'Semantic search and the rest of GitHub Copilot',
    settings: [],
    judge: (facts) =>
      copilotOnly(facts, "Only GitHub's own services can do this. To stop it, sign out of GitHub Copilot."),
  },
];

function utilityPrompt(title: string, key: SettingName): Entry {
  return {
    title,
    settings: [key],
    judge: (facts) => utilityVerdict(facts, key),
    seal: (facts, { utility }) => changed(facts, key, utilityValue(utility)),
  };
}

function agentPrompt(title: string, key: SettingName, judge: Entry['judge']): Entry {
  const seal: Entry['seal'] = (facts, { agent }) => changed(facts, key, qualifiedName(agent));
  return { title, settings: [key], judge, seal };
}

/** Follows the model that is selected in the chat, unless its setting names another one. */
function followingPrompt(title: string, key: SettingName): Entry {
  return {
    title,
    settings: [key],
    judge: (facts) => agentVerdict(facts, key),
    seal: (facts, { agent }) => (namesOther(facts, key) ? changed(facts, key, qualifiedName(agent)) : []),
  };
}

function namesOther(facts: EditorFacts, key: SettingName): boolean {
  const target = qualifiedTarget(facts.setting(key)?.value, facts.models);
  return target.kind !== 'none' && (target.kind !== 'model' || target.model.vendor !== OUR_VENDOR);
}

function namesOurs({ setting, models }: EditorFacts, key: SettingName): boolean {
  const targets = [utilityTarget, qualifiedTarget].map((read) => read(setting(key)?.value, models));
  return targets.some((target) => target.kind === 'model' && target.model.vendor === OUR_VENDOR);
}

/** The change of a setting that the editor has, unless it has the value or the user has set it: then something overrides it. */
function changed({ setting }: EditorFacts, key: SettingName, value: unknown): readonly SettingChange[] {
  const current = setting(key);
  const isDone =
    current === undefined || [current.value, current.userValue].some((each) => isDeepStrictEqual(each, value));
  return isDone ? [] : [{ key, value }];
}

/** Nothing is certain in an editor that is not known, except that a prompt is not sealed. */
function qualified(verdict: Verdict, facts: EditorFacts): Verdict {
  const { mark, reason } = isAiOff(facts)
    ? { mark: OFF, reason: `AI features are turned off (${SETTINGS.aiOff}).` }
    : verdict;
  if (isVerifiedVersion(facts.version) || (mark.kind !== 'sealed' && mark.kind !== 'off' && mark.kind !== 'follows')) {
    return { mark, reason };
  }
  return { mark: UNKNOWN, reason: `${reason} This version of Sealed Proxy does not know VS Code ${facts.version}.` };
}

const OFF: Mark = { kind: 'off' };
const UNKNOWN: Mark = { kind: 'unknown' };
const FOLLOWS: Mark = { kind: 'follows' };

/** The mark of a prompt for one of our models. */
function ours({ attested }: EditorFacts): Mark {
  return attested ? { kind: 'sealed' } : { kind: 'goesTo', recipient: DEVELOPMENT_BACKEND, ifSignedIn: false };
}

function notInThisEditor(key: string, facts: EditorFacts): Verdict {
  if (key.startsWith('github.copilot.') && copilotState(facts) === 'disabled') return NO_COPILOT;
  return { mark: UNKNOWN, reason: `This editor does not have the setting ${key}.` };
}

const NO_COPILOT: Verdict = { mark: OFF, reason: 'GitHub Copilot Chat is not enabled in this editor.' };

function toGitHub(facts: EditorFacts, reason: string): Verdict {
  const state = copilotState(facts);
  if (state === 'disabled') return NO_COPILOT;
  return { mark: { kind: 'goesTo', recipient: GITHUB, ifSignedIn: state === 'signedOut' }, reason };
}

/** What GitHub's own services do, and no model of another vendor can. */
function copilotOnly(facts: EditorFacts, reason: string): Verdict {
  const condition = copilotState(facts) === 'signedOut' ? ' if you sign in' : '';
  return cannotBeSealed(facts, 'service', `Goes to GitHub${condition}. ${reason}`);
}

function cannotBeSealed(facts: EditorFacts, cause: 'service' | 'editor', reason: string): Verdict {
  const state = copilotState(facts);
  if (state === 'disabled') return NO_COPILOT;
  return { mark: { kind: 'cannotBeSealed', cause, ifSignedIn: state === 'signedOut' }, reason };
}

/** Undefined if the target is not a model that is offered. */
function modelVerdict(target: Target, key: string, facts: EditorFacts): Verdict | undefined {
  if (target.kind !== 'model') return undefined;
  const { vendor, name } = target.model;
  const reason = `Set to ${name}${facts.setting(key)?.overridden === true ? ' by the workspace' : ''}.`;
  if (vendor === OUR_VENDOR) return { mark: ours(facts), reason };
  if (GITHUB_VENDORS.includes(vendor)) return toGitHub(facts, reason);
  return { mark: { kind: 'goesTo', recipient: facts.vendorName(vendor), ifSignedIn: false }, reason };
}

function utilityVerdict(facts: EditorFacts, key: SettingName): Verdict {
  const target = utilityTarget(facts.setting(key)?.value, facts.models);
  const verdict = modelVerdict(target, key, facts);
  if (verdict !== undefined) return verdict;
  const reason = target.kind === 'none' ? `${key} is not set.` : `${key} names a model that is not offered now.`;
  const followsChat = facts.setting(SETTINGS.utilityFallback)?.value === 'mainAgent';
  if (followsChat && copilotState(facts) === 'signedOut') return { mark: FOLLOWS, reason };
  return toGitHub(facts, `${reason} VS Code falls back to a model of GitHub.`);
}

/** The fallback is used as well before the first chat of a window, and then VS Code ignores its setting. */
function fallbackVerdict(facts: EditorFacts): Verdict {
  const key = SETTINGS.utilityFallback;
  const value = facts.setting(key)?.value;
  if (value !== 'none' && value !== 'mainAgent') {
    return toGitHub(facts, `${key} is ${String(value)}. Used while those models are unavailable.`);
  }
  const effect = value === 'none' ? 'nothing is sent' : 'the selected model is used';
  const reason =
    `${key} is ${value}: while those models are unavailable, ${effect}. ` +
    "But before the first chat in a window, VS Code uses GitHub's models.";
  return cannotBeSealed(facts, 'editor', reason);
}

function riskVerdict(facts: EditorFacts): Verdict {
  if (facts.setting(SETTINGS.riskAssessment)?.value === false) return { mark: OFF, reason: 'Turned off.' };
  const value = facts.setting(SETTINGS.riskModel)?.value;
  if (value !== SMALL_UTILITY_ALIAS && value !== '')
    return toGitHub(facts, `${SETTINGS.riskModel} is ${String(value)}.`);
  const { mark, reason } = utilityVerdict(facts, SETTINGS.utilitySmall);
  return { mark, reason: `Uses the model of ${SETTINGS.utilitySmall}. ${reason}` };
}

/** @param old a setting that is used while the first one is not set */
function agentVerdict(facts: EditorFacts, first: SettingName, old?: SettingName): Verdict {
  for (const key of old === undefined ? [first] : [first, old]) {
    const target = qualifiedTarget(facts.setting(key)?.value, facts.models);
    if (target.kind === 'none') continue;
    const verdict = modelVerdict(target, key, facts);
    if (verdict !== undefined) return verdict;
    const reason = `${key} names a model that is not offered now.`;
    if (target.kind === 'notOffered' && target.vendor === COPILOT) return toGitHub(facts, reason);
    return { mark: FOLLOWS, reason: `${reason} VS Code uses the model that is selected in the chat.` };
  }
  return { mark: FOLLOWS, reason: 'Uses the model that is selected in the chat.' };
}

function inlineChatVerdict(facts: EditorFacts): Verdict {
  const key = SETTINGS.inlineChat;
  const target = qualifiedTarget(facts.setting(key)?.value, facts.models);
  const unset = 'Inline chat has its own model picker, which starts with a model of GitHub.';
  const reason = target.kind === 'none' ? unset : `${key} names a model that is not offered now. ${unset}`;
  return modelVerdict(target, key, facts) ?? toGitHub(facts, reason);
}

/** The setting compares ids and families without their vendors, so another vendor's model may be meant as well. */
function newChatsVerdict(facts: EditorFacts): Verdict {
  const { value } = facts.setting(SETTINGS.newChats) ?? {};
  const wanted = typeof value === 'string' ? value.trim().toLowerCase() : '';
  if (wanted === '') return { mark: FOLLOWS, reason: 'New chats begin with the model that was selected last.' };
  const vendors = new Set(facts.models.filter(({ id }) => id.toLowerCase() === wanted).map(({ vendor }) => vendor));
  const reason = `${SETTINGS.newChats} is ${String(value)}.`;
  const [vendor] = vendors;
  if (vendor === OUR_VENDOR && vendors.size === 1) return { mark: ours(facts), reason };
  if (vendor === undefined || vendors.has(COPILOT)) return toGitHub(facts, `${reason} It may be a model of GitHub.`);
  const other = [...vendors].find((each) => each !== OUR_VENDOR) ?? vendor;
  return { mark: { kind: 'goesTo', recipient: facts.vendorName(other), ifSignedIn: false }, reason };
}

function agentHostVerdict(facts: EditorFacts): Verdict {
  const offered = facts.setting(SETTINGS.agentHost)?.value === true;
  const own = 'Its own titles and branch names go to GitHub; no setting changes that.';
  const reason = offered
    ? `Can use models of Sealed Proxy. ${own}`
    : `Cannot use models of Sealed Proxy (${SETTINGS.agentHost} is off). ${own}`;
  return cannotBeSealed(facts, 'editor', reason);
}

function ghostTextVerdict(facts: EditorFacts): Verdict {
  const setting = facts.setting(SETTINGS.ghostText);
  const values = typeof setting?.value === 'object' && setting.value !== null ? Object.entries(setting.value) : [];
  const isOff =
    values.length > 0 && values.every(([, value]) => value === false) && values.some(([name]) => name === '*');
  if (isOff && setting?.overridden !== true) return { mark: OFF, reason: 'Turned off.' };
  return copilotOnly(facts, `${SETTINGS.ghostText} can turn it off.`);
}

function nextEditsVerdict(facts: EditorFacts): Verdict {
  const { value, overridden } = facts.setting(SETTINGS.nextEdits) ?? {};
  if (value === false && overridden !== true) return { mark: OFF, reason: 'Turned off.' };
  return copilotOnly(facts, `${SETTINGS.nextEdits} can turn them off.`);
}

/** An experiment of GitHub can turn them on for users who have not set them. */
function subagentsVerdict(facts: EditorFacts): Verdict {
  const settings = SUBAGENTS.map((key) => facts.setting(key));
  if (settings.some((setting) => setting?.value === true))
    return copilotOnly(facts, 'Settings of GitHub Copilot turn them off.');
  if (settings.every((setting) => setting?.userValue === false)) return { mark: OFF, reason: 'Turned off.' };
  if (copilotState(facts) === 'disabled') return NO_COPILOT;
  return {
    mark: UNKNOWN,
    reason: 'Off by default, but GitHub can turn them on for some users unless they are set to off.',
  };
}

function dictationVerdict(facts: EditorFacts): Verdict {
  if (facts.setting(SETTINGS.dictation)?.value === false) return { mark: OFF, reason: 'Turned off.' };
  if (isAtMicrosoft(facts)) {
    return {
      mark: { kind: 'goesTo', recipient: 'Microsoft', ifSignedIn: false },
      reason:
        `${SETTINGS.dictationModel} is mai: Microsoft hears what you say. This cannot be sealed, only turned off ` +
        `(${SETTINGS.dictation}).`,
    };
  }
  if (facts.setting(SETTINGS.dictationCleanup)?.value === false) {
    return { mark: OFF, reason: 'Speech is recognized on this computer, and the text is not sent for corrections.' };
  }
  return copilotOnly(facts, `The text is sent for corrections; ${SETTINGS.dictationCleanup} can turn them off.`);
}

function isAtMicrosoft({ setting }: EditorFacts): boolean {
  return setting(SETTINGS.dictationModel)?.value === 'mai';
}

/** A user who selects one of their models sends the chat there. */
function otherProviders(facts: EditorFacts): readonly SidePrompt[] {
  const others = facts.models.filter(({ vendor }) => vendor !== OUR_VENDOR);
  const recipients = Map.groupBy(others, ({ vendor }) => recipientOf(vendor, facts));
  return [...recipients].map(([recipient, { length }]) => ({
    title: `Chats with models of ${recipient}`,
    mark: recipient === GITHUB ? toGitHub(facts, '').mark : { kind: 'goesTo', recipient, ifSignedIn: false },
    reason: `The model picker offers ${length === 1 ? '1 model' : `${length} models`}. Only chats for which you select one go there.`,
    settings: [],
    isChat: true,
  }));
}

function recipientOf(vendor: string, { vendorName }: EditorFacts): string {
  return GITHUB_VENDORS.includes(vendor) ? GITHUB : vendorName(vendor);
}

function newSettings({ modelSettings }: EditorFacts): readonly SidePrompt[] {
  return unknownSettings(modelSettings).map((key) => ({
    title: `Setting ${key}`,
    mark: UNKNOWN,
    reason: 'This version of Sealed Proxy does not know this setting, which may name a model.',
    settings: [key],
  }));
}

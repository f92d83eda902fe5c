// VS Code's own senders: the chat, its side prompts and inline suggestions. Pure.
import { OUR_VENDOR, isAiOff, isVerifiedVersion } from '../chat/sidePrompts/facts.ts';
import type { EditorFacts } from '../chat/sidePrompts/facts.ts';
import {
  countMarks,
  destinationText,
  isInline,
  shareOf,
  unsealedTitles,
  withoutChats,
} from '../chat/sidePrompts/mark.ts';
import type { Share, SidePrompt } from '../chat/sidePrompts/mark.ts';
import { SETTINGS } from '../chat/sidePrompts/settings.ts';
import { capitalized, joined, listed, sentence } from '../presentation/text.ts';
import type { Fact } from '../presentation/text.ts';
import type { Reach } from './reach.ts';
import { AGENTS_ID } from './sender.ts';
import type { Sender, SenderVerdict } from './sender.ts';
import { throughChat } from './throughProxy.ts';

/** The facts about the editor, and what follows from them. */
export interface EditorReading {
  readonly facts: EditorFacts;
  readonly prompts: readonly SidePrompt[];
}

/** Said before the editor was read for the first time. */
export const NOT_READ = 'VS Code has not reported its models and settings yet.';

const CHAT = { id: 'chat', name: "VS Code's chat", group: 'editor' } as const;
const KEEP_SEALED = { kind: 'command', name: 'keepChatSealed' } as const;

/** No setting turns off all of them, and nothing says whether they are used. */
const AGENTS: Sender = {
  id: AGENTS_ID,
  name: 'Agents built into VS Code',
  group: 'editor',
  verdict: 'unknown',
  sentence:
    'Agents such as the Claude agent and those of the agent host can send prompts elsewhere, even if the model picker offers ' +
    'only models of Sealed Proxy. Sealed Proxy cannot see whether you use them. To keep prompts sealed, do not use them.',
  details: [],
};

const WITHOUT_AGENTS = 'This does not include agents built into VS Code.';

/** What a condensed sender depends on. */
interface Scope {
  readonly reach: Reach;
  /** The model that is selected in the chat can only be a sealed one. */
  readonly isChatSealed: boolean;
}

/** @param editor undefined before the editor was read for the first time */
export function editorSenders(editor: EditorReading | undefined, reach: Reach): readonly Sender[] {
  if (editor === undefined) {
    return [{ ...CHAT, verdict: 'unknown', sentence: NOT_READ, details: [] }];
  }
  const { facts, prompts } = editor;
  if (isAiOff(facts) && isVerifiedVersion(facts.version)) {
    const name = "VS Code's chat, side prompts and inline suggestions";
    return [{ ...CHAT, name, verdict: 'off', sentence: `Turned off (${SETTINGS.aiOff}).`, details: [] }];
  }
  const own = withoutChats(prompts);
  const inline = own.filter(isInline);
  const others = own.filter((prompt) => !isInline(prompt));
  const chat = chatSender(editor, reach);
  const scope = { reach, isChatSealed: chat.verdict === 'sealed' };
  return [
    chat,
    AGENTS,
    condensed({ id: 'sidePrompts', name: "VS Code's side prompts" }, others, scope),
    inlineSender(inline, scope),
  ];
}

function chatSender({ facts, prompts }: EditorReading, reach: Reach): Sender {
  const ours = facts.models.filter(({ vendor }) => vendor === OUR_VENDOR).length;
  const others = prompts.filter(({ isChat }) => isChat === true);
  const details = others.map(detailOf);
  const recipients = listed(others.map(({ title }) => title.replace(/^Chats with models of /, '')));
  if (ours === 0) {
    if (others.length === 0 && reach.kind === 'nothing') {
      const why = reach.cause === 'noKey' ? 'Needs an API key.' : reach.why;
      return { ...CHAT, verdict: 'blocked', sentence: joined(why, 'No models of Sealed Proxy are offered.'), details };
    }
    return others.length === 0
      ? { ...CHAT, verdict: 'off', sentence: 'VS Code offers no models at the moment.', details }
      : {
          ...CHAT,
          verdict: 'elsewhere',
          sentence: `It offers only models of ${recipients}. Those of Sealed Proxy are not offered at the moment.`,
          details,
        };
  }
  const through = throughChat(reach);
  if (others.length > 0) {
    const sentence = joined(
      'Each prompt goes to the model that you select.',
      OUR_MODELS[through.verdict] ?? '',
      `Models of ${recipients} are not sealed.`,
    );
    return { ...CHAT, verdict: 'depends', sentence, details };
  }
  const offered = 'The model picker offers only models of Sealed Proxy.';
  if (!isVerifiedVersion(facts.version)) {
    const unknown = `This version of Sealed Proxy does not know VS Code ${facts.version}.`;
    return { ...CHAT, verdict: 'unknown', sentence: joined(offered, unknown), details };
  }
  return { ...CHAT, verdict: through.verdict, sentence: joined(offered, through.addition, WITHOUT_AGENTS), details };
}

/** What is said of our own models beside those of others. */
const OUR_MODELS: Readonly<Partial<Record<SenderVerdict, string>>> = {
  sealed: 'Models of Sealed Proxy are sealed.',
  development: 'Models of Sealed Proxy go to a development backend, encrypted, but not verified.',
  blocked: 'Models of Sealed Proxy fail at the moment, and nothing is sent to them.',
  unknown: 'Another window with different settings decides where models of Sealed Proxy go.',
};

/** Ghost text and next edit suggestions of GitHub Copilot; those of other extensions are in the rows of these. */
function inlineSender(prompts: readonly SidePrompt[], scope: Scope): Sender {
  const sender = condensed({ id: 'inlineSuggestions', name: "GitHub Copilot's inline suggestions" }, prompts, scope);
  const isLatent = prompts.some((prompt) => shareOf(prompt) === 'ifSignedIn');
  if (sender.verdict === 'off') {
    const off = isLatent
      ? 'Nothing is sent now. If you sign in to GitHub Copilot, the code around your cursor goes to GitHub, unsealed.'
      : 'GitHub Copilot suggests nothing while you type.';
    return { ...sender, sentence: off };
  }
  if (sender.verdict !== 'elsewhere') return sender;
  const github = 'The code around your cursor goes to GitHub. This cannot be sealed, only turned off.';
  return { ...sender, sentence: github };
}

/** Several kinds of prompts as one sender. */
function condensed(name: Pick<Sender, 'id' | 'name'>, prompts: readonly SidePrompt[], scope: Scope): Sender {
  const byShare = Map.groupBy(prompts, shareOf);
  const { verdict, addition } = verdictOf(new Set(byShare.keys()), scope);
  const follows = byShare.has('depends') && scope.isChatSealed ? 'The models that you can select are all sealed.' : '';
  const canChange = [...byShare.keys()].some((share) => share !== 'sealed' && share !== 'off');
  return {
    ...name,
    group: 'editor',
    verdict,
    sentence: joined(namedKinds(byShare), sentence(capitalized(countMarks(prompts))), follows, addition),
    details: prompts.map(detailOf),
    unsealed: unsealedTitles(prompts),
    ...(canChange ? { remedy: KEEP_SEALED } : {}),
  };
}

type Shares = ReadonlyMap<Share, readonly SidePrompt[]>;

/** The kinds that go to others, by recipient, and those of which nothing is known. */
function namedKinds(byShare: Shares): string {
  const leaking = Map.groupBy(byShare.get('elsewhere') ?? [], ({ mark }) =>
    mark.kind === 'goesTo' ? `to ${mark.recipient}` : 'to GitHub and cannot be sealed',
  );
  const unknown = byShare.get('unknown') ?? [];
  const isOne = byShare.get('elsewhere')?.length === 1;
  return joined(
    ...[...leaking].map(
      ([where, kinds]) =>
        `${titlesOf(kinds, NAMED)} ${kinds.length === 1 ? 'goes' : 'go'} ${where}${isOne ? ' when it is used' : ''}.`,
    ),
    unknown.length === 0 ? '' : `Unknown: ${titlesOf(unknown, NAMED)}.`,
  );
}

/** As many as fit in a sentence. */
const NAMED = 3;

/** In quotation marks where a title is a list itself. */
export function titlesOf(prompts: readonly Pick<SidePrompt, 'title'>[], most?: number): string {
  return listed(
    prompts.map(({ title }) => (title.includes(',') ? `"${title}"` : title)),
    most,
  );
}

function verdictOf(
  shares: ReadonlySet<Share>,
  { reach, isChatSealed }: Scope,
): { readonly verdict: SenderVerdict; readonly addition: string } {
  const through = throughChat(reach);
  const isFailing = through.verdict === 'blocked' && shares.has('sealed');
  const mixed = (verdict: SenderVerdict) => ({
    verdict,
    addition: isFailing ? 'Those to Sealed Proxy fail at the moment.' : '',
  });
  // Without a verified enclave, nothing of the rest is sealed.
  const isPartSealed =
    through.verdict === 'sealed' && (shares.has('sealed') || (shares.has('depends') && isChatSealed));
  if (shares.has('elsewhere')) return mixed(isPartSealed ? 'partly' : 'elsewhere');
  if (shares.has('unknown')) return mixed(isPartSealed ? 'partly' : 'unknown');
  if (shares.has('depends')) return mixed('depends');
  if (shares.has('development')) return mixed('development');
  return shares.has('sealed') ? through : { verdict: 'off', addition: '' };
}

function detailOf({ title, mark, reason }: SidePrompt): Fact {
  return { name: title, value: joined(sentence(capitalized(destinationText(mark))), reason) };
}

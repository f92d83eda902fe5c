// Every command, as data. The palette, the status bar's menu, tooltip links and registration derive from it; a test
// compares package.json with it. The functions that run the commands are in src/extension/features.

/** The groups of the status bar's menu, in their order. */
const MENU_GROUPS = ['Use', 'Look', 'Keys', 'Proxy', 'Remove'] as const;
type MenuGroup = (typeof MENU_GROUPS)[number];

interface CommandEntry {
  /** The label in the palette, the menu and links: a verb in title case. */
  readonly title: string;
  /** The name of a codicon, for the menu. */
  readonly icon?: string;
  /** The group in the status bar's menu; without one, the command is not in the menu. */
  readonly group?: MenuGroup;
  /** When the menu lists the command, besides in the states that offer it (statusText.ts); by default always. */
  readonly menu?: 'whileRunning' | 'withApiKey' | 'ifOffered';
  /** The when clause in the Command Palette; by default always. 'never': the command is not in package.json. */
  readonly palette?: 'never' | `sealedProxy.${string}`;
  /** It is in the title bar of the diff editor that shows a change. As text, which a command with an icon would not be. */
  readonly inDiff?: true;
}

const RUNNING = 'sealedProxy.state == running';
const STARTABLE = 'sealedProxy.state && sealedProxy.state != running && sealedProxy.state != starting';
const STOPPABLE = 'sealedProxy.state && sealedProxy.state != off';
const PORT_TAKEN = 'sealedProxy.state == portTaken';
const HAS_KEY = 'sealedProxy.hasApiKey';
const NEW_IMAGE = 'sealedProxy.newImage';
const REVIEWING = 'sealedProxy.reviewing && resourceScheme == sealed-proxy';

const ENTRIES = {
  openDashboard: { title: 'Open Dashboard', icon: 'dashboard', group: 'Look' },
  showPrompts: { title: 'Show Where Prompts Go', icon: 'map', group: 'Look' },
  useFreePort: { title: 'Use a Free Port', icon: 'plug', group: 'Proxy', menu: 'ifOffered', palette: PORT_TAKEN },
  reloadWindow: { title: 'Reload Window', icon: 'refresh', group: 'Proxy', menu: 'ifOffered', palette: 'never' },
  start: { title: 'Start', icon: 'play', group: 'Proxy', menu: 'ifOffered', palette: STARTABLE },
  checkConnection: { title: 'Check Connection', icon: 'refresh', group: 'Proxy', menu: 'ifOffered', palette: RUNNING },
  copyBaseUrl: { title: 'Copy Base URL', icon: 'copy', group: 'Use', menu: 'ifOffered', palette: RUNNING },
  showAttestation: { title: 'Show Attestation', icon: 'verified', group: 'Look', menu: 'ifOffered', palette: RUNNING },
  saveEvidence: { title: 'Save Attestation Evidence…', palette: RUNNING },
  reviewImage: {
    title: 'Review New Enclave Image…',
    icon: 'workspace-unknown',
    group: 'Proxy',
    menu: 'ifOffered',
    palette: NEW_IMAGE,
  },
  showUsage: { title: 'Show Usage', icon: 'graph', group: 'Look', menu: 'whileRunning', palette: RUNNING },
  diagnose: { title: 'Run Diagnostics', icon: 'pulse', group: 'Look' },
  showLog: { title: 'Show Log', icon: 'output', group: 'Look' },
  connectAssistant: { title: 'Connect an Assistant…', icon: 'link', group: 'Use' },
  writeChange: { title: 'Write These Changes', inDiff: true, palette: REVIEWING },
  cancelChange: { title: 'Cancel These Changes', inDiff: true, palette: REVIEWING },
  keepChatSealed: { title: "Keep VS Code's Chat Sealed…", icon: 'shield', group: 'Use' },
  setApiKey: { title: 'Set API Key', icon: 'key', group: 'Keys' },
  removeApiKey: { title: 'Remove API Key', icon: 'trash', group: 'Remove', menu: 'withApiKey', palette: HAS_KEY },
  newAccessKey: { title: 'Create Access Key', icon: 'add', group: 'Keys' },
  manageAccessKeys: { title: 'Manage Access Keys', icon: 'list-unordered', group: 'Keys' },
  restart: { title: 'Restart', icon: 'debug-restart', group: 'Proxy', menu: 'whileRunning' },
  stop: { title: 'Stop', icon: 'debug-stop', group: 'Proxy', menu: 'ifOffered', palette: STOPPABLE },
  stopAll: { title: 'Stop in All Windows', icon: 'stop-circle', group: 'Proxy', menu: 'whileRunning' },
  openSettings: { title: 'Open Settings', icon: 'gear', group: 'Proxy', palette: 'never' },
  getStarted: { title: 'Open Walkthrough', icon: 'rocket', group: 'Use' },
  removeEverything: { title: 'Disconnect and Remove Everything', icon: 'clear-all', group: 'Remove' },
  showMenu: { title: 'Show Menu' },
} satisfies Readonly<Record<string, CommandEntry>>;

/**
 * Commands that other extensions, notifications and the walkthrough run, and that users never see. Each has an activation
 * event in package.json, so that it works while the editor is still starting.
 */
export const INTERNAL_COMMANDS = ['repairAssistants', 'openChat', 'getBaseUrl', 'getStatus', 'getConnection'] as const;

/**
 * The context keys that the extension sets, for when clauses and the walkthrough. `needsApiKey`: it is known that there is no
 * API key; `hasApiKey` is false also before that is known. `asked`: a chat got a response.
 * `reviewing`: a change is shown that the user has not decided on.
 */
export const CONTEXT_KEYS = [
  'state',
  'verified',
  'newImage',
  'hasApiKey',
  'needsApiKey',
  'assistantConnected',
  'asked',
  'reviewing',
] as const;

export type ContextKey = (typeof CONTEXT_KEYS)[number];
export type VisibleCommand = keyof typeof ENTRIES;
export type CommandName = VisibleCommand | (typeof INTERNAL_COMMANDS)[number];

/** The commands that users see, in the order of the menu. */
export const COMMANDS: Readonly<Record<VisibleCommand, CommandEntry>> = ENTRIES;

/** The id under which a command is registered. */
export function commandId(name: CommandName): string {
  return `sealedProxy.${name}`;
}

/**
 * The status bar's menu, in groups with names; empty groups are left out, and no command is in two.
 * @param offered the commands that the current state offers
 * @param remedy what helps now comes first, under a heading of its own
 */
export function menuGroups(
  { actions: offered, remedy }: { readonly actions: readonly VisibleCommand[]; readonly remedy: VisibleCommand | null },
  { whileRunning, withApiKey }: { readonly whileRunning: boolean; readonly withApiKey: boolean },
): readonly { readonly title: string; readonly commands: readonly VisibleCommand[] }[] {
  const conditions = { whileRunning, withApiKey, ifOffered: false };
  const others = (Object.keys(COMMANDS) as VisibleCommand[]).filter((name) => {
    const { menu } = COMMANDS[name];
    return name !== remedy && (menu === undefined || conditions[menu] || offered.includes(name));
  });
  const groups = MENU_GROUPS.map((title) => ({
    title,
    commands: others.filter((name) => COMMANDS[name].group === title),
  }));
  return [{ title: 'Now', commands: remedy === null ? [] : [remedy] }, ...groups].filter(
    ({ commands }) => commands.length > 0,
  );
}

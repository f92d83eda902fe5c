// Every command, as data. The palette, the status bar's menu, tooltip links and registration derive from it; a test
// compares package.json with it. The functions that run the commands are in src/extension/commands.

interface CommandEntry {
  /** The label in the palette, the menu and links: a verb in title case. */
  readonly title: string;
  /** The name of a codicon, for the menu. */
  readonly icon?: string;
  /** The group in the status bar's menu; without one, the command is not in the menu. */
  readonly group?: 1 | 2 | 3;
  /** When the menu lists the command, besides in the states that offer it (statusText.ts); by default always. */
  readonly menu?: 'whileRunning' | 'withApiKey' | 'ifOffered';
  /** The when clause in the Command Palette; by default always. 'never': the command is not in package.json. */
  readonly palette?: 'never' | `sealedProxy.${string}`;
}

const RUNNING = 'sealedProxy.state == running';
const STARTABLE = 'sealedProxy.state && sealedProxy.state != running && sealedProxy.state != starting';
const STOPPABLE = 'sealedProxy.state && sealedProxy.state != off';
const HAS_KEY = 'sealedProxy.hasApiKey';
const NEW_IMAGE = 'sealedProxy.newImage';

const ENTRIES = {
  openDashboard: { title: 'Open Dashboard', icon: 'dashboard', group: 1 },
  showPrompts: { title: 'Show Where Prompts Go', icon: 'map', group: 1 },
  useFreePort: { title: 'Use a Free Port', icon: 'plug', group: 1, menu: 'ifOffered', palette: 'never' },
  reloadWindow: { title: 'Reload Window', icon: 'refresh', group: 1, menu: 'ifOffered', palette: 'never' },
  start: { title: 'Start', icon: 'play', group: 1, menu: 'ifOffered', palette: STARTABLE },
  checkConnection: { title: 'Check Connection', icon: 'refresh', group: 1, menu: 'ifOffered', palette: RUNNING },
  copyBaseUrl: { title: 'Copy Base URL', icon: 'copy', group: 1, menu: 'ifOffered', palette: RUNNING },
  showAttestation: { title: 'Show Attestation', icon: 'verified', group: 1, menu: 'ifOffered', palette: RUNNING },
  saveEvidence: { title: 'Save Attestation Evidence…', palette: RUNNING },
  reviewImage: {
    title: 'Review New Enclave Image…',
    icon: 'workspace-unknown',
    group: 1,
    menu: 'ifOffered',
    palette: NEW_IMAGE,
  },
  showUsage: { title: 'Show Usage', icon: 'graph', group: 1, menu: 'whileRunning', palette: RUNNING },
  diagnose: { title: 'Run Diagnostics', icon: 'pulse', group: 1 },
  showLog: { title: 'Show Log', icon: 'output', group: 1 },
  connectAssistant: { title: 'Connect an Assistant…', icon: 'link', group: 2 },
  keepChatSealed: { title: "Keep VS Code's Chat Sealed…", icon: 'shield', group: 2 },
  setApiKey: { title: 'Set API Key', icon: 'key', group: 2 },
  removeApiKey: { title: 'Remove API Key', icon: 'trash', group: 2, menu: 'withApiKey', palette: HAS_KEY },
  newAccessKey: { title: 'Create Access Key', icon: 'add', group: 2 },
  manageAccessKeys: { title: 'Manage Access Keys', icon: 'list-unordered', group: 2 },
  restart: { title: 'Restart', icon: 'debug-restart', group: 3, menu: 'whileRunning' },
  stop: { title: 'Stop', icon: 'debug-stop', group: 3, menu: 'ifOffered', palette: STOPPABLE },
  stopAll: { title: 'Stop in All Windows', icon: 'stop-circle', group: 3, menu: 'whileRunning' },
  openSettings: { title: 'Open Settings', icon: 'gear', group: 3, palette: 'never' },
  getStarted: { title: 'Get Started', icon: 'rocket', group: 3 },
  removeEverything: { title: 'Disconnect and Remove Everything', icon: 'clear-all', group: 3 },
  showMenu: { title: 'Show Menu' },
} satisfies Readonly<Record<string, CommandEntry>>;

/**
 * Commands that other extensions, notifications and the walkthrough run, and that users never see. Each has an activation
 * event in package.json, so that it works while the editor is still starting.
 */
export const INTERNAL_COMMANDS = ['repairAssistants', 'openChat', 'getBaseUrl', 'getStatus', 'getConnection'] as const;

/** The context keys that the extension sets, for when clauses and the walkthrough. `asked`: a chat got a response. */
export const CONTEXT_KEYS = ['state', 'verified', 'newImage', 'hasApiKey', 'assistantConnected', 'asked'] as const;

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
 * The status bar's menu, in groups; empty groups are left out. If the state needs an API key, that comes first.
 * @param offered the commands that the current state offers
 */
export function menuGroups(
  offered: readonly VisibleCommand[],
  { whileRunning, withApiKey }: { readonly whileRunning: boolean; readonly withApiKey: boolean },
): readonly (readonly VisibleCommand[])[] {
  const conditions = { whileRunning, withApiKey, ifOffered: false };
  const names = (Object.keys(COMMANDS) as VisibleCommand[]).filter((name) => {
    const { menu } = COMMANDS[name];
    return menu === undefined || conditions[menu] || offered.includes(name);
  });
  const urgent: readonly VisibleCommand[] = offered.filter((name) => name === 'setApiKey');
  const groups = [1, 2, 3].map((group) =>
    names.filter((name) => COMMANDS[name].group === group && !urgent.includes(name)),
  );
  return [urgent, ...groups].filter(({ length }) => length > 0);
}

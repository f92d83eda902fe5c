// Removes everything that the extension has stored or written, one step after the other. A step that fails does not stop
// the others.
import type { Leftover } from '../../../assistants/leave.ts';
import type { UserSetting } from '../../../chat/sidePrompts/facts.ts';
import { sentence } from '../../../presentation/text.ts';
import { errorMessage } from '../../../shared/errors.ts';

export interface RemovalStep {
  /** What is removed, to name it if the step fails. */
  readonly name: string;
  /** One line of the confirmation. */
  readonly description: () => Promise<string>;
  /** Resolves to what could not be removed. */
  readonly run: () => Promise<readonly Leftover[]>;
}

/** The settings of the editor that the extension has changed. */
export interface ChangedSettings {
  /** Restores them. `kept`: those that the user has changed since. Undefined if there are none. */
  undo(): Promise<{ readonly kept: readonly string[] } | undefined>;
  /** Their values before the change; undefined = not set. */
  previous(): Promise<readonly UserSetting[]>;
}

/** Comes before the secrets are deleted, which hold the previous values. So if it fails, the user is told the values. */
export function restoringStep(settings: ChangedSettings): RemovalStep {
  return {
    name: 'Settings of VS Code',
    description: () => Promise.resolve('Restores the settings of VS Code that Sealed Proxy has changed.'),
    run: async () => {
      try {
        const message = 'You have changed this setting since Sealed Proxy did, so it keeps its value.';
        return ((await settings.undo())?.kept ?? []).map((where) => ({ where, message }));
      } catch (error) {
        const reason = errorMessage(error);
        return (await settings.previous()).map(({ key, value }) => {
          const remedy =
            value === undefined
              ? 'Remove it yourself: it was not set before.'
              : `Set it yourself to ${JSON.stringify(value)}.`;
          return { where: key, message: `This setting could not be restored. ${sentence(reason)} ${remedy}` };
        });
      }
    },
  };
}

/** Of a setting of Sealed Proxy that has a value even after it was reset. Such a value is in another settings.json. */
export function settingElsewhere(name: string, isRemote: boolean): Leftover {
  const commands = isRemote
    ? '"Preferences: Open User Settings (JSON)" or "Preferences: Open Remote Settings (JSON)"'
    : '"Preferences: Open User Settings (JSON)"';
  const message = `This window cannot reset the setting. Run ${commands}, and delete the line with "${name}" there, and any other that begins with "sealedProxy.".`;
  return { where: name, message };
}

/** The lines of the confirmation. */
export async function describeRemoval(steps: readonly RemovalStep[]): Promise<readonly string[]> {
  return Promise.all(steps.map(({ description }) => description()));
}

export async function runRemoval(steps: readonly RemovalStep[]): Promise<readonly Leftover[]> {
  const leftovers: Leftover[] = [];
  for (const { name, run } of steps) {
    try {
      leftovers.push(...(await run()));
    } catch (error) {
      const reason = errorMessage(error);
      leftovers.push({
        where: name,
        message: `${sentence(reason)} Run "Sealed Proxy: Disconnect and Remove Everything" again.`,
      });
    }
  }
  return leftovers;
}

/** The document that lists what could not be removed. */
export function leftoversDocument(leftovers: readonly Leftover[]): string {
  const lines = leftovers.map(({ where, message }) => `- **${where}**: ${message}`);
  return [
    '# What Remains of Sealed Proxy',
    '',
    'The following could not be removed. Everything else was.',
    '',
    ...lines,
    '',
  ].join('\n');
}

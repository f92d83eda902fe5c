// Values that do not apply because of a setting's scope: see `scope` in schema.ts.
import { fieldsOf } from '../shared/json.ts';
import { APPLICATION_SETTING_NAMES } from './schema.ts';

/**
 * The files in which the editor ignores settings of the scope `application`: that of a remote computer, and that of a
 * profile other than the default one.
 * @param storage the folder for the extension's own files, as the editor names it
 */
export function filesWithIgnoredSettings(storage: string, isRemote: boolean): readonly string[] {
  const [, data, profile] = /^(.*)[\\/]User(?:[\\/]profiles[\\/]([^\\/]+))?[\\/]globalStorage[\\/]/.exec(storage) ?? [];
  if (data === undefined) return [];
  if (isRemote) return [`${data}/Machine/settings.json`];
  return profile === undefined ? [] : [`${data}/User/profiles/${profile}/settings.json`];
}

/**
 * The complete names of the settings that have another value in such a file than the one in use.
 * @param values the parsed file
 */
export function findIgnoredSettings(values: unknown, valueInUse: (name: string) => unknown): readonly string[] {
  const written = fieldsOf(values);
  return APPLICATION_SETTING_NAMES.map((name) => `sealedProxy.${name}`).filter(
    (name) => Object.hasOwn(written, name) && JSON.stringify(written[name]) !== JSON.stringify(valueInUse(name)),
  );
}

/** The sentences for the user. */
export function describeIgnoredSettings(names: readonly string[], isRemote: boolean): string {
  const place = isRemote ? 'the settings of the remote computer' : 'the settings of this profile';
  const [are, them] = names.length === 1 ? ['is', 'it'] : ['are', 'them'];
  const reason = isRemote
    ? 'A repository can change those settings, so only your user settings count.'
    : 'Only the user settings of the default profile count.';
  return `${names.join(', ')} in ${place} ${are} ignored. ${reason} If you set ${them} yourself, move ${them} there.`;
}

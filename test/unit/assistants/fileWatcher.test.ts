import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { mkdirSync, renameSync } from 'node:fs';
import { FileWatcher } from '../../../src/assistants/fileWatcher.ts';
import { perTestHome } from '../../support/assistantHome.ts';
import { DEADLINE, withTimeout } from '../../support/withTimeout.ts';

describe('FileWatcher', () => {
  const home = perTestHome();
  const events = new EventEmitter();
  const paths = () => [home().pathOf('folder/settings.json')];
  let watcher: FileWatcher;

  beforeEach(() => {
    home().write('folder/settings.json', '{}');
    watcher = new FileWatcher(() => events.emit('change'), 10);
    watcher.watch(paths());
  });

  afterEach(() => {
    watcher.dispose();
  });

  const change = (label: string) => withTimeout(label, DEADLINE, once(events, 'change'));

  it('tells that a folder with a file was replaced, and that a file in the new one was changed', async () => {
    const replaced = change('the event of the new folder');
    renameSync(home().pathOf('folder'), home().pathOf('old'));
    mkdirSync(home().pathOf('folder'));
    home().write('folder/settings.json', '{"model": "other"}');
    await replaced;
    watcher.watch(paths());
    const changed = change('the event of the file in the new folder');
    home().write('folder/settings.json', '{"model": "another"}');
    assert.equal((await changed).length, 0);
  });
});

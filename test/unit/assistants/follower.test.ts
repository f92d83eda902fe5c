import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { opencode } from '../../../src/assistants/adapters/opencode.ts';
import type { AssistantState } from '../../../src/assistants/assistantService.ts';
import { JudgementFollower } from '../../../src/assistants/follower.ts';
import { judge } from '../../../src/assistants/judge.ts';
import { perTestHome } from '../../support/assistantHome.ts';
import { surroundingsIn } from '../../support/judgements.ts';
import { eventually } from '../../support/withTimeout.ts';

describe('JudgementFollower', () => {
  const home = perTestHome();
  let sealed: readonly string[] = [];
  let unsealed: string[] = [];
  let follower: JudgementFollower;
  let afterReading: () => void = () => undefined;
  const events = new EventEmitter();

  const list = async (): Promise<readonly AssistantState[]> => {
    const folders = [home().pathOf('project')];
    const configState = await opencode.inspect(home().expected);
    const { routes, watched } = await opencode.routes(home().expected, surroundingsIn(home(), { folders }));
    afterReading();
    events.emit('read');
    const judgement = judge(opencode.name, configState, routes);
    return [{ assistant: opencode, configState, judgement, watched, detected: true, undoable: false }];
  };

  beforeEach(async () => {
    [sealed, unsealed] = [[], []];
    mkdirSync(home().pathOf('project'));
    await home().connect(opencode);
    const host = {
      list,
      remembered: () => sealed,
      remember: (ids: readonly string[]) => {
        sealed = ids;
      },
      onUnsealed: ({ judgement }: AssistantState) => unsealed.push(judgement.sentence),
      onFailure: (error: unknown) => events.emit('error', error),
    };
    follower = new JudgementFollower(host, 10);
    follower.look();
    await follower.settled();
  });

  afterEach(() => {
    follower.dispose();
  });

  it('judges again when a file appears that did not exist, and tells once what is not sealed any more', async () => {
    assert.deepEqual([sealed, unsealed], [['opencode'], []]);
    const read = once(events, 'read');
    home().write('project/opencode.json', '{"small_model": "anthropic/claude-haiku"}');
    await read;
    await follower.settled();
    assert.equal(unsealed.length, 1);
    assert.match(unsealed.join(), /Titles and summaries to anthropic/);
    follower.look();
    await follower.settled();
    assert.equal(unsealed.length, 1);
    assert.deepEqual(sealed, []);
  });

  it('does not miss a change that is made between the first reading and the first watching', async () => {
    const read = once(events, 'read');
    const folder = home().pathOf('project/.opencode');
    mkdirSync(folder);
    await read;
    await follower.settled();
    afterReading = () => {
      afterReading = () => undefined;
      home().write('project/.opencode/agent/deep/build.md', '---\nmodel: anthropic/claude\n---\n');
    };
    mkdirSync(home().pathOf('project/.opencode/agent/deep'), { recursive: true });
    await eventually('the agent is found', () => unsealed.length > 0);
    assert.match(unsealed.join(), /The agent "build" to anthropic/);
  });
});

// The judgement of an assistant in a home folder, with surroundings under the control of the test.
import assert from 'node:assert/strict';
import type { Assistant } from '../../src/assistants/adapters/assistant.ts';
import { judge } from '../../src/assistants/judge.ts';
import type { Judgement } from '../../src/assistants/judging/judgement.ts';
import type { Surroundings } from '../../src/assistants/judging/surroundings.ts';
import type { AssistantHome } from './assistantHome.ts';

/** Nothing beside the assistant's own file, and an organization without files. */
export function surroundingsIn(home: AssistantHome, change: Partial<Surroundings> = {}): Surroundings {
  const { editor = {} } = change;
  const system = home.pathOf('system');
  return { editor, terminal: editor, folders: [], system, platform: 'linux', setting: () => undefined, ...change };
}

export async function judgementOf(
  home: AssistantHome,
  assistant: Assistant,
  change: Partial<Surroundings> = {},
): Promise<Judgement> {
  const state = await assistant.inspect(home.expected);
  const { routes } = await assistant.routes(home.expected, surroundingsIn(home, change));
  return judge(assistant.name, state, routes);
}

/** Asserts the kind of a judgement and what its sentence says. */
export async function assertJudgement(
  home: AssistantHome,
  assistant: Assistant,
  expected: { readonly kind: Judgement['kind']; readonly says?: RegExp; readonly remedy?: string },
  change: Partial<Surroundings> = {},
): Promise<void> {
  const judgement = await judgementOf(home, assistant, change);
  assert.equal(judgement.kind, expected.kind, JSON.stringify(judgement, null, 1));
  if (expected.says !== undefined) assert.match(judgement.sentence, expected.says);
  if (expected.remedy !== undefined) assert.equal(judgement.remedy?.kind, expected.remedy);
  assert.ok(!judgement.sentence.includes(home.path), 'the sentence may be shown to others');
}

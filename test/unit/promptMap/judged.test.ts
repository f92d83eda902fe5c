import assert from 'node:assert/strict';
import type { AssistantState } from '../../../src/assistants/assistantService.ts';
import { FILE_ASSISTANTS } from '../../../src/assistants/registry.ts';
import type { Assistant, ConfigState } from '../../../src/assistants/types.ts';
import { judged } from '../../../src/promptMap/judged.ts';

const [ASSISTANT] = FILE_ASSISTANTS;
const ABSENT: ConfigState = { kind: 'absent' };

function state(change: Partial<AssistantState> = {}, of: Partial<Assistant> = {}): AssistantState {
  assert.ok(ASSISTANT);
  const judgement = { kind: 'unknown', sentence: '', routes: [] } as const;
  return {
    assistant: { ...ASSISTANT, ...of },
    configState: ABSENT,
    detected: false,
    undoable: false,
    judgement,
    watched: [],
    ...change,
  };
}

describe('judged()', () => {
  it('takes an assistant for present if it was found, or its configuration names an endpoint', () => {
    const present = [
      state(),
      state({ detected: true }),
      state({ configState: { kind: 'other', what: 'x' } }),
      state({ configState: { kind: 'refused', message: '' } }),
    ].map((each) => judged(each).isPresent);
    assert.deepEqual(present, [false, true, true, true]);
  });

  it("takes VS Code's list of Custom Endpoints for present only if it is used", () => {
    const of = { id: 'custom-endpoint' };
    assert.equal(judged(state({ detected: true }, of)).isPresent, false);
    assert.equal(judged(state({ configState: { kind: 'current', model: 'a' } }, of)).isPresent, true);
  });

  it('takes an assistant for connected only if it has our entry', () => {
    assert.equal(judged(state({ configState: { kind: 'current', model: 'a' } })).isConnected, true);
    assert.equal(judged(state({ configState: { kind: 'other', what: 'x' } })).isConnected, false);
  });
});

import assert from 'node:assert/strict';
import { makeAccessKey } from '../../../../src/keys/accessKeys.ts';
import { clientName, clientsSection } from '../../../../src/presentation/dashboard/clients.ts';
import type { AssistantFacts } from '../../../../src/presentation/dashboard/clients.ts';
import { DIRECT, UNKNOWN } from '../../../../src/shared/usage.ts';
import { AT } from '../../../support/statuses.ts';

const OWN = makeAccessKey('Sealed Proxy', 'own', AT);
const ADA = { ...makeAccessKey("Ada's notebook", 'user', AT), lastUsedAt: AT + 5 };

const assistant = (change: Partial<AssistantFacts> = {}): AssistantFacts => ({
  id: 'cline',
  name: 'Cline',
  state: 'current',
  description: 'connected, model glm-5-2',
  sealing: 'sealed',
  undoable: true,
  note: '',
  ...change,
});

describe('clientName()', () => {
  it('names the keys, and all other callers', () => {
    const nameOf = (caller: string, former?: string) => clientName(caller, [OWN, ADA], former);
    assert.equal(nameOf(ADA.id, 'an old name'), "Ada's notebook");
    assert.equal(nameOf(OWN.id), "VS Code's chat and connection checks");
    assert.equal(nameOf('f'.repeat(16)), 'Revoked key');
    assert.equal(nameOf('f'.repeat(16), 'Cline'), 'Cline (revoked)');
    assert.equal(nameOf(DIRECT), 'API key sent by the client');
    assert.equal(nameOf(UNKNOWN), 'No valid key');
  });
});

describe('clientsSection()', () => {
  it("lists the keys without their secrets, and without the extension's own one", () => {
    const { keys } = clientsSection([OWN, ADA], []);
    const times = { createdAt: AT, lastUsedAt: AT + 5 };
    assert.deepEqual(keys, [
      { id: ADA.id, name: "Ada's notebook", origin: 'Created by you', ...times, revocable: true },
    ]);
    assert.ok(!JSON.stringify(keys).includes('sealed-'));
  });

  it('lists the assistants that are or were connected, with what can be done', () => {
    const { assistants } = clientsSection(
      [],
      [
        assistant(),
        assistant({ id: 'a', sealing: 'notCompared' }),
        ...(['partly', 'elsewhere', 'unknown'] as const).map((sealing) => assistant({ id: sealing, sealing })),
        assistant({ id: 'g', note: 'Cline cannot use the proxy. It failed.' }),
        assistant({ id: 'b', state: 'outdated', description: 'Uses an outdated address', note: 'Repaired: b.' }),
        assistant({ id: 'c', state: 'refused', undoable: false }),
        assistant({ id: 'd', state: 'absent', description: '' }),
        assistant({ id: 'e', state: 'absent', undoable: false }),
        assistant({ id: 'f', state: 'other', undoable: false }),
      ],
    );
    assert.deepEqual(
      assistants.map(({ id, tone, state, actions, note }) => [id, tone, state, actions.join(' '), note]),
      [
        ['cline', 'good', 'Connected, model glm-5-2', 'check undo', ''],
        ['a', 'neutral', 'Connected, model glm-5-2', 'check undo', ''],
        ...['partly', 'elsewhere', 'unknown'].map((id) => [
          id,
          'warning',
          'Connected, model glm-5-2',
          'check undo',
          '',
        ]),
        ['g', 'warning', 'Connected, model glm-5-2', 'check undo', 'Cline cannot use the proxy. It failed.'],
        ['b', 'warning', 'Uses an outdated address', 'repair undo', 'Repaired: b.'],
        ['c', 'error', 'Connected, model glm-5-2', '', ''],
        ['d', 'neutral', 'Not connected', 'undo', ''],
      ],
    );
  });
});

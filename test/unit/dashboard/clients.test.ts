import assert from 'node:assert/strict';
import type { ConfigState } from '../../../src/assistants/adapters/assistant.ts';
import type { Judgement } from '../../../src/assistants/judging/judgement.ts';
import { clientName, clientRows } from '../../../src/dashboard/clients.ts';
import type { ListedAssistant } from '../../../src/dashboard/clients.ts';
import { makeAccessKey } from '../../../src/keys/accessKeys.ts';
import { DIRECT, UNKNOWN } from '../../../src/shared/usage.ts';
import { AT } from '../../support/statuses.ts';

const OWN = makeAccessKey('Sealed Proxy', 'own', AT);
const ADA = { ...makeAccessKey("Ada's notebook", 'user', AT), lastUsedAt: AT + 5 };

const CURRENT: ConfigState = { kind: 'current', model: 'glm-5-2' };
const judged = (kind: Judgement['kind']): Judgement => ({ kind, sentence: `It is ${kind}.`, routes: [] });

const assistant = (id: string, change: Partial<ListedAssistant> = {}): ListedAssistant => ({
  assistant: { id, name: 'Cline' },
  configState: CURRENT,
  judgement: judged('sealed'),
  undoable: true,
  ...change,
});

describe('clientName()', () => {
  it('names the keys, and all other callers', () => {
    const nameOf = (caller: string, former?: string) => clientName(caller, [OWN, ADA], former);
    assert.equal(nameOf(ADA.id, 'an old name'), "Ada's notebook");
    assert.equal(nameOf(OWN.id), 'Sealed Proxy in VS Code');
    assert.equal(nameOf('f'.repeat(16)), 'Revoked key');
    assert.equal(nameOf('f'.repeat(16), 'Cline'), 'Cline (revoked)');
    assert.equal(nameOf(DIRECT), 'API key sent by the client');
    assert.equal(nameOf(UNKNOWN), 'No valid key');
  });
});

describe('clientRows()', () => {
  it("lists the keys without their secrets, and without the extension's own one", () => {
    const rows = clientRows([OWN, ADA], [], new Map());
    const key = { id: ADA.id, origin: 'user', createdAt: AT, firstUsedAt: null, lastUsedAt: AT + 5 };
    assert.deepEqual(rows, [{ name: "Ada's notebook", key, config: null }]);
    assert.ok(!JSON.stringify(rows).includes('sealed-'));
  });

  it('shows an assistant and the access key made for it as one client, and every other key as its own', () => {
    const made = makeAccessKey('Cline', 'assistant', AT);
    const users = makeAccessKey('Cline', 'user', AT);
    const copied = makeAccessKey('Aider', 'assistant', AT);
    const rows = clientRows([made, users, copied, OWN], [assistant('cline')], new Map());
    assert.deepEqual(
      rows.map(({ name, key, config }) => [name, key?.id, config?.id]),
      [
        ['Cline', made.id, 'cline'],
        ['Cline', users.id, undefined],
        ['Aider', copied.id, undefined],
      ],
    );
  });

  it('never lists a client twice: its key and its configuration stay in one row when one of them is gone', () => {
    const key = makeAccessKey('Cline', 'assistant', AT);
    const removed = assistant('cline', { configState: { kind: 'absent' }, undoable: false });
    const withoutConfig = clientRows([key], [removed], new Map());
    assert.deepEqual(
      withoutConfig.map((row) => [row.key?.id, row.config?.state, row.config?.actions]),
      [[key.id, 'Not connected', []]],
    );
    const outdated = { kind: 'outdated', baseUrl: false, key: true, model: undefined } as const;
    const withoutKey = clientRows([], [assistant('cline', { configState: outdated })], new Map());
    assert.deepEqual(
      withoutKey.map((row) => [row.key, row.config?.state]),
      [[null, 'Uses an outdated access key']],
    );
  });

  it('lists the assistants that are or were connected, with what can be done', () => {
    const rows = clientRows(
      [],
      [
        assistant('sealed'),
        assistant('not compared', { configState: { ...CURRENT, uncompared: true } }),
        ...(['partly', 'elsewhere', 'unknown'] as const).map((kind) => assistant(kind, { judgement: judged(kind) })),
        assistant('checked'),
        assistant('outdated', { configState: { kind: 'outdated', baseUrl: true, key: false, model: undefined } }),
        assistant('refused', { configState: { kind: 'refused', message: 'Damaged.' }, undoable: false }),
        assistant('absent', { configState: { kind: 'absent' } }),
        assistant('never connected', { configState: { kind: 'absent' }, undoable: false }),
        assistant('other', { configState: { kind: 'other', what: 'x' }, undoable: false }),
      ],
      new Map([
        ['partly', { message: 'Its configuration was repaired.' }],
        ['checked', { message: 'It failed.', checkFailed: true }],
      ]),
    );
    assert.deepEqual(
      rows.map(({ config }) => {
        const { id, tone, state, actions, note } = config ?? assert.fail();
        return [id, tone, state, actions.join(' '), note].join(' | ');
      }),
      [
        'sealed | good | Connected, model glm-5-2 | check undo | ',
        'not compared | neutral | Configured, but not checked: no proxy runs for this window | check undo | ',
        'partly | warning | Not connected completely: some prompts go elsewhere | check undo | Its configuration was repaired.',
        'elsewhere | warning | Configured, but its prompts go elsewhere | check undo | It is elsewhere.',
        'unknown | warning | Configured, but it is not known where all prompts go | check undo | It is unknown.',
        'checked | warning | Connected, model glm-5-2 | check undo | It failed.',
        'outdated | warning | Uses an outdated address | repair undo | ',
        'refused | error | Damaged. |  | ',
        'absent | neutral | Not connected | undo | ',
      ],
    );
  });
});

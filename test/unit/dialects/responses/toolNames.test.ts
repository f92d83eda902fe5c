import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { ClientTool } from '../../../../src/dialects/responses/plan.ts';
import { ToolNames } from '../../../../src/dialects/responses/toolNames.ts';

describe('ToolNames', () => {
  it('keeps names, and joins the names of namespaces to them', () => {
    const names = new ToolNames();
    assert.equal(names.aliasOf({ kind: 'function', name: 'run' }), 'run');
    assert.equal(names.aliasOf({ kind: 'function', name: 'run', namespace: 'agents' }), 'agents__run');
    assert.equal(names.aliasOf({ kind: 'function', name: 'agents__run' }), 'agents__run_2');
    assert.equal(names.aliasOf({ kind: 'custom', name: 'run' }), 'run_2');
    assert.equal(names.aliasOf({ kind: 'function', name: 'run' }), 'run');
    assert.deepEqual(names.tools['agents__run'], { kind: 'function', name: 'run', namespace: 'agents' });
  });

  it('gives any tools valid names that lead back to them', () => {
    const tool: fc.Arbitrary<ClientTool> = fc.record(
      {
        kind: fc.constantFrom('function' as const, 'custom' as const),
        name: fc.oneof(
          fc.string({ maxLength: 80 }),
          fc.constantFrom('a', 'a_2', 'a__a', '__proto__', 'ä', 'a'.repeat(70)),
        ),
        namespace: fc.oneof(fc.string({ maxLength: 80 }), fc.constantFrom('a', '', 'a__a', 'ä')),
      },
      { requiredKeys: ['kind', 'name'] },
    );
    fc.assert(
      fc.property(fc.array(tool, { maxLength: 30 }), (tools) => {
        const names = new ToolNames();
        for (const each of tools) {
          const alias = names.aliasOf(each);
          assert.match(alias, /^[\w-]{1,64}$/);
          assert.deepEqual({ ...names.tools[alias] }, { ...each });
          assert.equal(names.aliasOf(each), alias);
        }
        const distinct = new Set(tools.map((each) => JSON.stringify([each.kind, each.name, each.namespace])));
        assert.equal(Object.keys(names.tools).length, distinct.size);
      }),
    );
  });

  it('takes time in proportion to the number of tools with the same name', () => {
    const names = new ToolNames();
    for (let count = 0; count < 100_000; count++) {
      names.aliasOf({ kind: 'function', name: 'x', namespace: `${'n'.repeat(64)}${count}` });
    }
    assert.equal(Object.keys(names.tools).length, 100_000);
  });
});

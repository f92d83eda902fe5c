import assert from 'node:assert/strict';
import { FIXED_NODES, nodeWarning } from '../../../../src/proxy/process/nodeVersion.ts';

describe('nodeWarning()', () => {
  it('names the cause and the remedy for a Node before the security release of its line', () => {
    for (const [node, fixed] of [
      ['22.19.0', '22.23.4'],
      ['22.23.3', '22.23.4'],
      ['24.9.0', '24.22.1'],
      ['24.22.0', '24.22.1'],
      ['26.12.0', '26.12.1'],
    ] as const) {
      assert.equal(
        nodeWarning({ node }),
        `Node ${node} has known security flaws in TLS and Brotli. Update to Node ${fixed} or later; if this Node is part of an editor, update the editor.`,
      );
    }
  });

  it('says nothing about a fixed version, a later one, or a line that it does not know', () => {
    for (const node of [...FIXED_NODES, '22.24.0', '24.22.10', '24.100.0', '26.13.0', '23.11.0', '25.9.0', '27.0.0'])
      assert.equal(nodeWarning({ node }), undefined, node);
  });

  it('says nothing about Electron, which fixes its own Node', () => {
    assert.equal(nodeWarning({ node: '24.9.0', electron: '42.0.0' }), undefined);
  });
});

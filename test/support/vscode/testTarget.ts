/** The VS Code that runs the tests. scripts/vscode/testTarget.mjs chooses it. */
export type TestTarget =
  | { readonly kind: 'desktop'; readonly executable: string }
  | { readonly kind: 'server'; readonly server: string; readonly browser: string };

/** The target of this run. */
export function currentTestTarget(): TestTarget {
  const target = process.env['VSCODE_TEST_TARGET'];
  if (target === undefined) throw new Error('Run these tests with npm run test:vscode');
  return JSON.parse(target) as TestTarget;
}

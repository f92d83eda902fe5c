/** Which VS Code the tests run in; scripts/vscode/testTarget.mjs chooses it. */
export type TestTarget =
  | { readonly kind: 'desktop'; readonly executable: string }
  | { readonly kind: 'server'; readonly server: string; readonly browser: string };

/** The one that was chosen for this run. */
export function currentTestTarget(): TestTarget {
  const road = process.env['VSCODE_TEST_TARGET'];
  if (road === undefined) throw new Error('Run these tests with npm run test:vscode');
  return JSON.parse(road) as TestTarget;
}

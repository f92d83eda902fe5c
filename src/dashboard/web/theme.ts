// The colours of the editor's theme for what is drawn on a canvas, where CSS variables do not apply.

/** Variables of the theme for the series of a chart, as in styles/usage.css. */
const SERIES = [
  '--vscode-charts-blue',
  '--vscode-charts-yellow',
  '--vscode-charts-purple',
  '--vscode-charts-green',
  '--vscode-charts-red',
  '--vscode-terminal-ansiCyan',
  '--vscode-charts-foreground',
  '--vscode-terminal-ansiMagenta',
];

export interface ChartColors {
  readonly text: string;
  readonly grid: string;
  readonly background: string;
  readonly series: readonly string[];
}

/** The colours as they are now. */
export function chartColors(): ChartColors {
  const style = getComputedStyle(document.body);
  const first = (...names: readonly string[]): string =>
    names.map((name) => style.getPropertyValue(name).trim()).find((value) => value !== '') ?? style.color;
  const text = first('--vscode-descriptionForeground', '--vscode-foreground');
  return {
    text,
    grid: `color-mix(in srgb, ${text} 25%, transparent)`,
    background: first('--vscode-editor-background'),
    series: SERIES.map((name) => first(name)),
  };
}

/** Calls `changed` whenever the editor's theme changes: it writes to the classes of the body and to the root's style. */
export function watchTheme(changed: () => void): void {
  const observer = new MutationObserver(changed);
  observer.observe(document.body, { attributeFilter: ['class', 'data-vscode-theme-id'] });
  observer.observe(document.documentElement, { attributeFilter: ['style'] });
}

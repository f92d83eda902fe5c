// The colours of the editor's theme for what is drawn on a canvas, where CSS variables do not apply.

/** Variables of the theme for the series of a chart; the last ones are neutral. */
const SERIES = ['blue', 'orange', 'green', 'purple', 'red', 'yellow', 'foreground'].map(
  (name) => `--vscode-charts-${name}`,
);

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
  return {
    text: first('--vscode-descriptionForeground', '--vscode-foreground'),
    grid: first('--vscode-widget-border', '--vscode-panel-border', '--vscode-contrastBorder'),
    background: first('--vscode-editor-background'),
    series: [...SERIES.map((name) => first(name)), first('--vscode-descriptionForeground')],
  };
}

/** Calls `changed` whenever the editor's theme changes: it writes to the classes of the body and to the root's style. */
export function watchTheme(changed: () => void): void {
  const observer = new MutationObserver(changed);
  observer.observe(document.body, { attributeFilter: ['class', 'data-vscode-theme-id'] });
  observer.observe(document.documentElement, { attributeFilter: ['style'] });
}

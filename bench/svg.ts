// What the charts share. They bring their own background, so that they can be read on any page, and follow the theme of the
// system.
const STYLE = `<style>
  text { font: 13px system-ui, sans-serif; fill: #1f2328 }
  .title { font-size: 16px; font-weight: 600 }
  .note { font-size: 12px; fill: #59636e }
  .end { text-anchor: end }
  .paper { fill: #ffffff; stroke: #d1d9e0 }
  .bar, .area { fill: #1f7a8c }
  .area { opacity: 0.15 }
  .curve { fill: none; stroke: #1f7a8c; stroke-width: 2 }
  .open { fill: none }
  .grid { stroke: #d1d9e0 }
  .base { stroke: #59636e; stroke-dasharray: 4 3 }
  .limit { stroke: #bc4c00; stroke-width: 3 }
  .noise { stroke: #1f2328; stroke-width: 1.5 }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 }
    .note { fill: #9198a1 }
    .paper { fill: #0d1117; stroke: #3d444d }
    .bar, .area { fill: #3fa7bb }
    .curve { stroke: #3fa7bb }
    .grid { stroke: #3d444d }
    .base { stroke: #9198a1 }
    .limit { stroke: #f0883e }
    .noise { stroke: #e6edf3 }
  }
</style>`;

export const MARGIN = 20;

export interface Frame {
  readonly title: string;
  /** Under the title, how to read it. */
  readonly note: string;
  readonly width: number;
  readonly height: number;
}

/** The complete file. */
export function drawing({ title, note, width, height }: Frame, content: readonly string[]): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">
<title>${escape(title)}</title>
${STYLE}
<rect class="paper" x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="6"/>
${[text(MARGIN, 32, title, 'title'), text(MARGIN, 52, note, 'note'), ...content].join('\n')}
</svg>
`;
}

export function text(x: number, y: number, words: string, style = ''): string {
  return `<text x="${round(x)}" y="${round(y)}"${style === '' ? '' : ` class="${style}"`}>${escape(words)}</text>`;
}

export function line(x1: number, y1: number, x2: number, y2: number, style: string): string {
  return `<line x1="${round(x1)}" y1="${round(y1)}" x2="${round(x2)}" y2="${round(y2)}" class="${style}"/>`;
}

export function rectangle(x: number, y: number, width: number, height: number, style: string): string {
  return `<rect x="${round(x)}" y="${round(y)}" width="${round(width)}" height="${round(height)}" class="${style}"/>`;
}

export function polyline(points: readonly (readonly [number, number])[], style: string): string {
  return `<polyline points="${points.map(([x, y]) => `${round(x)},${round(y)}`).join(' ')}" class="${style}"/>`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

function escape(words: string): string {
  return words.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

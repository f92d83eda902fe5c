// What a .cpuprofile of V8 says about a bundle: the functions of the sources, with the time in each of them alone.
import { SourceMap } from 'node:module';
import type { SourceMapPayload } from 'node:module';

/** A profile as V8 writes it. Lines and columns begin at 0, times are in microseconds. */
export interface CpuProfile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: {
      readonly functionName: string;
      readonly url: string;
      readonly lineNumber: number;
      readonly columnNumber: number;
    };
  }[];
  /** The id of the running node at each sample. */
  readonly samples: readonly number[];
  /** The time before each sample, since the previous one. */
  readonly timeDeltas: readonly number[];
}

export interface SelfTime {
  /** Its name, and its file and line; for what is not a function, only a name, such as `(idle)`. */
  readonly name: string;
  readonly ms: number;
}

/** The longest first. */
export function selfTimes({ nodes, samples, timeDeltas }: CpuProfile, sources: SourceMapPayload): SelfTime[] {
  const map = new SourceMap(sources);
  const names = new Map(nodes.map(({ id, callFrame }) => [id, nameOf(callFrame, map)]));
  const times = new Map<string, number>();
  samples.forEach((id, index) => {
    const name = names.get(id) ?? '(unknown)';
    // A node runs from its sample to the next one.
    times.set(name, (times.get(name) ?? 0) + (timeDeltas[index + 1] ?? 0) / 1000);
  });
  return [...times].map(([name, ms]) => ({ name, ms })).sort((a, b) => b.ms - a.ms);
}

function nameOf(
  { functionName, url, lineNumber, columnNumber }: CpuProfile['nodes'][number]['callFrame'],
  map: SourceMap,
) {
  const own = functionName === '' ? '(anonymous)' : functionName;
  if (lineNumber < 0 || url === '') return own;
  if (!url.endsWith('/proxy.js')) return `${own} ${url.replace(/^file:.*\//, '')}:${lineNumber + 1}`;
  const origin = map.findOrigin(lineNumber + 1, columnNumber + 1);
  if (!('fileName' in origin)) return own;
  const file = origin.fileName.replace(/^(?:\.\.\/)+/, '').replace('node_modules/', '');
  return `${origin.name ?? own} ${file}:${origin.lineNumber}`;
}

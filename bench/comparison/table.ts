// What the comparison prints.
import { spawnSync } from 'node:child_process';
import type { Column } from './columns.ts';
import { figureOf, ratioOf, short, summarize } from './figures.ts';
import type { Round } from './figures.ts';
import { ADDED_MEDIAN } from './limits.ts';
import type { Judged } from './limits.ts';

/** The quotients at the end of each row. */
const RATIOS = [
  ['sealed', 'bare'],
  ['electron', 'bare'],
  ['sealed', 'native'],
] as const;

interface Facts {
  /** The path of the Node of the measured programs. */
  readonly node: string;
  readonly handshakeMs: number;
}

export function printTable(rounds: readonly Round[], columns: readonly Column[], { node, handshakeMs }: Facts): void {
  const ratios = RATIOS.filter(([, base]) => columns.includes(base));
  const names = Object.keys(rounds[0]?.sealed ?? {});
  const width = Math.max(...names.map((name) => name.length));
  console.log(`Node ${versionOf(node)}, medians of ${rounds.length} rounds\n`);
  const titles = [...columns.map((column) => column.padStart(10)), '  ', ...ratios.map(titleOf)];
  console.log(`${''.padEnd(width)}${titles.join('')}`);
  for (const name of names) {
    const cells = columns.map((column) => short(summarize(rounds, figureOf(column, name)).value).padStart(10));
    const quotients = ratios.map(([above, below]) =>
      short(summarize(rounds, ratioOf(above, below, name)).value).padStart(titleOf([above, below]).length),
    );
    console.log([name.padEnd(width), ...cells, '  ', ...quotients].join(''));
  }
  console.log(`\nhandshake with the development enclave: ${short(handshakeMs)} ms`);
  if (columns.includes('native')) console.log(aboutNative(rounds));
}

function titleOf([above, below]: readonly [Column, Column]): string {
  return ` ${above}/${below}`;
}

/** Its median must not be taken for the cost of its encryption. */
function aboutNative(rounds: readonly Round[]): string {
  const ms = short(summarize(rounds, ADDED_MEDIAN.native).value);
  return `
native adds ${ms} ms to the median. If that is about 41 ms, it is not a cost of encryption: native writes the head and the
body of a response separately without TCP_NODELAY, and the second write waits for the delayed acknowledgement of the
first one. Its requests per second, latencies and time to first byte contain that wait; its CPU figures do not.`;
}

/** @param title a line above them */
export function printVerdicts(title: string, all: readonly Judged[]): void {
  console.log(`\n${title} (± the distance between the lower and the upper quartile of the rounds):`);
  for (const { name, value, noise, most, verdict } of all) {
    console.log(`${verdict.padEnd(12)}  ${name}: ${short(value)} ± ${short(noise)} (at most ${most})`);
  }
}

function versionOf(node: string): string {
  return spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout.trim();
}

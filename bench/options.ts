// The options of the benchmark.
import { parseArgs } from 'node:util';

export const USAGE = `Usage: npm run bench -- [options]

Compares Sealed Proxy with a relay that does not encrypt, and exits with 1 if it is slower than its limits by more than
the noise of the run.

  --rounds N         How often each figure is measured. Default: 5.
  --peer PATH        Also measure this binary of maple-proxy, and compare with the goals. Linux only.
  --node PATH        Run the measured programs on this Node.
  --chart FILE       Also draw the ratios, or with --memory the memory, as SVG.
  --profile NAME     Instead, profile the sealed proxy with one load: requests, paced, burst or upload.
  --memory MINUTES   Instead, record the memory of the sealed proxy under a mixed load and after it.
  --replicas SECONDS Instead, run two and four proxies behind HAProxy, nginx and Envoy, as far as they are installed: measure
                     each throughput for so long, kill one, replace all, and rotate keys. Exits with 1 if requests are lost.
  --help             Show this help.
`;

export const LOADS = ['requests', 'paced', 'burst', 'upload'] as const;
export type LoadName = (typeof LOADS)[number];

export interface CompareOptions {
  readonly rounds: number;
  /** The path of another proxy's binary. */
  readonly peer: string | undefined;
  /** The path of the Node that runs the measured programs. */
  readonly node: string;
  /** The file for the SVG. */
  readonly chart: string | undefined;
}

export type Task =
  | ({ readonly kind: 'compare' } & CompareOptions)
  | { readonly kind: 'profile'; readonly load: LoadName; readonly node: string }
  | { readonly kind: 'memory'; readonly minutes: number; readonly node: string; readonly chart: string | undefined }
  | { readonly kind: 'replicas'; readonly seconds: number }
  | { readonly kind: 'help' };

/** @throws Error with a sentence for the user */
export function parseOptions(args: readonly string[]): Task {
  const { values } = parseArgs({
    args: [...args],
    options: {
      rounds: { type: 'string', default: '5' },
      peer: { type: 'string' },
      node: { type: 'string', default: process.execPath },
      chart: { type: 'string' },
      profile: { type: 'string' },
      memory: { type: 'string' },
      replicas: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  const { node, chart, peer } = values;
  if (values.help) return { kind: 'help' };
  if (values.profile !== undefined) {
    const load = LOADS.find((name) => name === values.profile);
    if (load === undefined) throw new Error(`--profile must be one of: ${LOADS.join(', ')}`);
    return { kind: 'profile', load, node };
  }
  if (values.memory !== undefined) {
    const minutes = Number(values.memory);
    if (!(minutes > 0)) throw new Error('--memory must be a number of minutes');
    return { kind: 'memory', minutes, node, chart };
  }
  if (values.replicas !== undefined) {
    const seconds = Number(values.replicas);
    if (!(seconds > 0)) throw new Error('--replicas must be a number of seconds');
    return { kind: 'replicas', seconds };
  }
  const rounds = Number(values.rounds);
  if (!Number.isInteger(rounds) || rounds < 1) throw new Error('--rounds must be a whole number of at least 1');
  return { kind: 'compare', rounds, peer, node, chart };
}

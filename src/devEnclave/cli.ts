// src/devEnclave: the development backend, for the demo and for tests. Never part of the extension package.
import { parseArgs } from 'node:util';
import { describeFaults, parseFaults } from './faults/faults.ts';
import { createForwarder, parseForwardUrl } from './model/forward.ts';
import { createModel } from './model/model.ts';
import { MODEL_HOOKS } from './model/modelHooks.ts';
import type { EnclaveOptions } from './server.ts';

/** What the command line asks for. */
export type Command =
  | { readonly kind: 'run'; readonly options: EnclaveOptions }
  /** Say this on stdout. */
  | { readonly kind: 'print'; readonly text: string }
  /** Say this on stderr, in one line. */
  | { readonly kind: 'refuse'; readonly reason: string };

const OPTIONS = {
  port: { type: 'string', default: '0' },
  pace: { type: 'string', default: '15' },
  forward: { type: 'string' },
  faults: { type: 'string', default: '' },
  record: { type: 'string' },
  help: { type: 'boolean', default: false },
} as const;

const USAGE = `Usage: dev-enclave [options]

An enclave for development: it answers on 127.0.0.1, it is not attested, and nothing behind it is confidential. The
model behind it repeats what it is told. Every key that begins with dev- is good.

  --port N        the port to listen on; 0, the default, takes any free one
  --pace MS       the pause between two chunks of a stream, 15 by default; 0 for none
  --forward URL   let this OpenAI-compatible server answer; the key goes there as a bearer token
  --record FILE   append a line of JSON for each request: what was asked and how it ended, without keys and bodies
  --faults LIST   lie on purpose: name, or name:N for the N-th handshake or request only, with commas between them
  --faults list   say which lies there are
  --help          say this

A last user message that begins with one of these steers the answer:

${Object.entries(MODEL_HOOKS)
  .map(([name, { usage, summary }]) => `  ${`/${name} ${usage}`.padEnd(30)}${summary}`)
  .join('\n')}
`;

/** Reads the arguments behind the program's name. */
export function parseCommandLine(args: readonly string[]): Command {
  try {
    const { values } = parseArgs({ args: [...args], options: OPTIONS, strict: true, allowPositionals: false });
    if (values.help) return { kind: 'print', text: USAGE };
    if (values.faults === 'list') return { kind: 'print', text: `${describeFaults()}\n` };
    return { kind: 'run', options: runOptions(values) };
  } catch (error) {
    return { kind: 'refuse', reason: error instanceof Error ? (error.message.split('\n', 1)[0] ?? '') : '' };
  }
}

interface Values {
  readonly port: string;
  readonly pace: string;
  readonly forward?: string | undefined;
  readonly faults: string;
  readonly record?: string | undefined;
}

function runOptions({ port, pace, forward, faults, record }: Values): EnclaveOptions {
  parseFaults(faults, false);
  const paceMs = parseNumber('--pace', pace, 60_000);
  const url = forward === undefined ? undefined : parseForwardUrl(forward);
  if (forward !== undefined && url === undefined) throw new RangeError('--forward must be an http or https URL');
  return {
    port: parseNumber('--port', port, 65_535),
    handler: url === undefined ? createModel({ paceMs }) : createForwarder(url),
    faults,
    journal: false,
    ...(record === undefined ? {} : { recordFile: record }),
  };
}

function parseNumber(option: string, text: string, max: number): number {
  const value = /^[0-9]+$/.test(text) ? Number(text) : NaN;
  if (!(value <= max)) throw new RangeError(`${option} must be a number from 0 to ${max}`);
  return value;
}

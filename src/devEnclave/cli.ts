import { parseArgs } from 'node:util';
import { describeFaults, parseFaults } from './faults/faults.ts';
import { createForwarder, parseForwardUrl } from './model/forwarder.ts';
import { createModel } from './model/model.ts';
import { SLASH_COMMANDS } from './model/slashCommands.ts';
import type { EnclaveOptions } from './server.ts';

export type Command =
  | { readonly kind: 'run'; readonly options: EnclaveOptions }
  /** Print to stdout. */
  | { readonly kind: 'print'; readonly text: string }
  /** Print to stderr, on one line, and exit with code 2. */
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

An enclave for development on 127.0.0.1. It is not attested and keeps nothing confidential. Its model repeats your
message. It accepts every API key that begins with dev-.

  --port N        Port to listen on. Default: 0, any free port.
  --pace MS       Pause between two chunks of a stream, in milliseconds. Default: 15.
  --forward URL   Forward requests to this OpenAI-compatible server, with the API key as a bearer token.
  --record FILE   Append a line of JSON about each request to this file. It contains no API key and no body.
  --faults LIST   Inject faults, separated by commas. name:N injects it in the N-th handshake or request only.
  --faults list   List all faults.
  --help          Show this help.

Start the last user message with one of these commands to control the response:

${Object.entries(SLASH_COMMANDS)
  .map(([name, { usage, summary }]) => `  ${`/${name} ${usage}`.padEnd(30)}${summary}`)
  .join('\n')}
`;

/** Parses the arguments that follow the program's name. */
export function parseCommandLine(args: readonly string[]): Command {
  try {
    const values = parseOptions(args);
    if (values.help) return { kind: 'print', text: USAGE };
    if (values.faults === 'list') return { kind: 'print', text: `${describeFaults()}\n` };
    return { kind: 'run', options: runOptions(values) };
  } catch (error) {
    return { kind: 'refuse', reason: error instanceof Error ? (error.message.split('\n', 1)[0] ?? '') : '' };
  }
}

function parseOptions(args: readonly string[]) {
  return parseArgs({ args: [...args], options: OPTIONS, strict: true, allowPositionals: false }).values;
}

function runOptions({ port, pace, forward, faults, record }: ReturnType<typeof parseOptions>): EnclaveOptions {
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

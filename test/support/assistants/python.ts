// The Python programs, which run their unmodified snippets, and only with `--python`.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Bench, Command } from './bench.ts';
import { shellScript, snippetOf } from './configuration.ts';

export interface PythonProgram {
  /** The ID of the snippet. */
  readonly id: string;
  /** `folder` is the virtual environment. */
  readonly command: (folder: string, bench: Bench) => Command;
  /** The output limit of its requests, in tokens. None by default. */
  readonly maxTokens?: number;
}

export const PYTHON: readonly PythonProgram[] = [
  { id: 'openai-python', command: (folder, bench) => program('openai-python', folder, bench) },
  { id: 'responses-python', command: (folder, bench) => program('responses-python', folder, bench) },
  {
    id: 'anthropic-python',
    command: (folder, bench) => program('anthropic-python', folder, bench),
    maxTokens: 1024,
  },
  { id: 'langchain-python', command: (folder, bench) => program('langchain-python', folder, bench) },
  { id: 'llm', command: (folder, bench) => script('llm', folder, bench, 'Hello!') },
  {
    id: 'aider',
    command: (folder, bench) =>
      script('aider', folder, bench, '--message', 'Hello!', '--yes-always', '--no-git', '--no-check-update'),
  },
];

function program(id: string, folder: string, bench: Bench): Command {
  const path = join(bench.project, 'program.py');
  writeFileSync(path, snippetOf(id, bench.endpoint));
  return { file: join(folder, 'bin', 'python'), args: [path] };
}

function script(id: string, folder: string, bench: Bench, ...args: readonly string[]): Command {
  const PATH = `${join(folder, 'bin')}:${process.env['PATH'] ?? ''}`;
  return { file: 'sh', args: [shellScript(id, bench), ...args], env: { PATH } };
}

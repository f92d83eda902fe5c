// The assistants that run in a terminal, and how each is started with a task and without prompts to the user.
import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { MAX_OUTPUT } from './bench.ts';
import type { Command } from './bench.ts';
import type { Tool } from './script.ts';

export interface Terminal {
  /** The ID of the assistant or the snippet. */
  readonly id: string;
  /** Its tool that reads a file. */
  readonly tool: Tool;
  /** The `max_tokens` of its requests, which follows from the configured limits; null for none. */
  readonly maxTokens: number | null;
  /** `modules` is the node_modules folder of its installation; `snippet` a script with the snippet, if it has one. */
  readonly command: (modules: string, task: string, snippet: string) => Command;
}

/** What Cline requests from a model with a large enough context window. */
const CLINE_TOKENS = 32_000;

export const TERMINALS: readonly Terminal[] = [
  {
    id: 'claude-code',
    tool: { name: 'Read', argumentsFor: (file_path) => ({ file_path }) },
    maxTokens: MAX_OUTPUT,
    command: (modules, task) => ({ file: claude(modules), args: ['-p', task] }),
  },
  {
    id: 'codex',
    tool: { name: 'exec_command', argumentsFor: (path) => ({ cmd: `cat ${path}` }) },
    maxTokens: null, // Codex has no such setting
    command: (modules, task) => ({ file: codex(modules), args: ['exec', ...CODEX_OPTIONS, task] }),
  },
  {
    id: 'continue',
    tool: { name: 'Read', argumentsFor: (filepath) => ({ filepath }) },
    maxTokens: MAX_OUTPUT,
    command: (modules, task) => ({
      file: process.execPath,
      args: [join(modules, '@continuedev/cli/dist/cn.js'), '-p', task],
      env: { CONTINUE_TELEMETRY_ENABLED: '0', CONTINUE_CLI_ENABLE_TELEMETRY: '0' },
    }),
  },
  {
    id: 'cline',
    tool: { name: 'read_files', argumentsFor: (path) => ({ files: [{ path }] }) },
    maxTokens: CLINE_TOKENS,
    command: (modules, task) => ({ file: binary(modules, '@cline/cli', 'cline'), args: [task] }),
  },
  {
    id: 'kilo',
    tool: { name: 'read', argumentsFor: (filePath) => ({ filePath }) },
    maxTokens: MAX_OUTPUT,
    command: (modules, task) => ({
      file: binary(modules, '@kilocode/cli', 'kilo'),
      args: ['run', task],
      env: {
        KILO_DISABLE_AUTOUPDATE: '1',
        KILO_DISABLE_CODEBASE_INDEXING: '1',
        KILO_DISABLE_MODELS_FETCH: '1',
        KILO_DISABLE_SESSION_INGEST: '1',
        KILO_TELEMETRY_LEVEL: 'off',
      },
    }),
  },
  {
    id: 'opencode',
    tool: { name: 'read', argumentsFor: (filePath) => ({ filePath }) },
    maxTokens: MAX_OUTPUT,
    command: (modules, task) => ({
      file: binary(modules, 'opencode', 'opencode'),
      args: ['run', task],
      env: { OPENCODE_DISABLE_AUTOUPDATE: '1', OPENCODE_DISABLE_MODELS_FETCH: '1' },
    }),
  },
  {
    id: 'qwen-code',
    tool: { name: 'read_file', argumentsFor: (file_path) => ({ file_path }) },
    maxTokens: MAX_OUTPUT,
    command: (modules, task) => ({
      file: process.execPath,
      args: [join(modules, '@qwen-code/qwen-code/cli-entry.js'), '-p', task],
    }),
  },
  {
    id: 'copilot-cli',
    tool: { name: 'view', argumentsFor: (path) => ({ path }) },
    maxTokens: MAX_OUTPUT,
    command: (modules, task, snippet) => ({
      file: 'sh',
      args: [snippet, '-p', task, '--allow-all-tools'],
      env: { PATH: `${join(modules, '.bin')}:${process.env['PATH'] ?? ''}` },
    }),
  },
];

/** A container has no sandbox of its own, and the project is not a repository. */
export const CODEX_OPTIONS = ['--dangerously-bypass-approvals-and-sandbox', '--skip-git-repo-check'];

/** Claude Code's program, which is not in a folder `bin`. */
export function claude(modules: string): string {
  return found(join(modules, `@anthropic-ai/claude-code-${process.platform}-${process.arch}`, 'claude'));
}

/** Codex's program, in a folder with the compiler's name of the platform. */
export function codex(modules: string): string {
  const vendor = found(join(modules, `@openai/codex-${process.platform}-${process.arch}`, 'vendor'));
  return found(join(vendor, readdirSync(vendor)[0] ?? '', 'bin', 'codex'));
}

/** npm installs the package for this platform next to the requested one. */
function binary(modules: string, name: string, program: string): string {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  return found(join(modules, `${name}-${platform}-${process.arch}`, 'bin', program));
}

function found(path: string): string {
  assert.ok(existsSync(path), `there is no ${path}`);
  return path;
}

import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, delimiter, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fromRoot } from '../support/e2e/process.ts';

type Step = readonly [instruction: string, rest: string];

/** The stages of a Dockerfile, each as its steps. */
function stagesOf(text: string): Step[][] {
  const stages: Step[][] = [];
  for (const line of text.replaceAll(/\\\n/g, ' ').split('\n')) {
    const [, instruction, rest] = /^([A-Z]+) (.*)$/.exec(line) ?? [];
    if (instruction === undefined || rest === undefined) continue;
    if (instruction === 'FROM') stages.push([]);
    stages.at(-1)?.push([instruction, rest]);
  }
  return stages;
}

/** Runs the steps of one stage in a folder below `root`, and returns the stage's environment. */
function buildStage(steps: readonly Step[], root: string, workdirs: Map<string, string>): Record<string, string> {
  const [, from] = steps[0] ?? ['', ''];
  const name = / AS (\S+)$/.exec(from)?.[1] ?? 'final';
  const workdir = join(root, name);
  const environment: Record<string, string> = {};
  mkdirSync(workdir);
  for (const [instruction, rest] of steps) {
    if (instruction === 'WORKDIR') workdirs.set(`${name}:${rest}`, workdir);
    else if (instruction === 'COPY') copy(rest, workdir, root, workdirs);
    else if (instruction === 'RUN') runIn(workdir, rest);
    else if (instruction === 'ENV') for (const [key, value] of pairsOf(rest)) environment[key] = value;
    else
      assert.ok(
        ['FROM', 'ARG', 'EXPOSE', 'USER', 'STOPSIGNAL', 'HEALTHCHECK', 'CMD'].includes(instruction),
        `unknown instruction ${instruction}`,
      );
  }
  return environment;
}

function copy(rest: string, workdir: string, root: string, workdirs: ReadonlyMap<string, string>): void {
  const words = rest.split(' ');
  const stage = words[0]?.startsWith('--from=') === true ? words.shift()?.slice('--from='.length) : undefined;
  const target = words.pop() ?? '.';
  for (const source of words) {
    const path = stage === undefined ? fromRoot(source) : inStage(stage, source, workdirs);
    const isFolder = statSync(path).isDirectory();
    cpSync(path, join(workdir, target, isFolder ? '' : basename(source)), { recursive: true });
  }
  assert.ok(workdir.startsWith(root));
}

function inStage(stage: string, source: string, workdirs: ReadonlyMap<string, string>): string {
  for (const [key, folder] of workdirs) {
    const prefix = key.slice(stage.length + 1);
    if (key.startsWith(`${stage}:`) && source.startsWith(`${prefix}/`)) return folder + source.slice(prefix.length);
  }
  throw new Error(`No stage ${stage} has ${source}`);
}

function runIn(workdir: string, command: string): void {
  const { status, stderr } = spawnSync(command, { cwd: workdir, encoding: 'utf8', shell: true });
  assert.equal(status, 0, `${command}: ${stderr}`);
}

function pairsOf(rest: string): [string, string][] {
  return rest.split(' ').map((pair) => pair.split('=', 2) as [string, string]);
}

function jsonCommand(rest: string): string[] {
  return JSON.parse(rest.slice(rest.indexOf('['))) as string[];
}

describe('The container image', function () {
  const stages = stagesOf(readFileSync(fromRoot('Dockerfile'), 'utf8'));
  const last = stages.at(-1) ?? [];
  const step = (instruction: string) => last.find(([name]) => name === instruction)?.[1] ?? '';

  it('builds in stages, runs without privileges, and checks its health every 30 seconds', () => {
    assert.equal(stages.length, 2);
    assert.equal(step('USER'), 'node');
    assert.equal(step('STOPSIGNAL'), 'SIGTERM');
    assert.match(step('HEALTHCHECK'), /--interval=30s /);
    assert.deepEqual(
      last.filter(([instruction]) => instruction === 'COPY').map(([, rest]) => rest),
      ['LICENSE deploy/health.sh ./', '--from=build /build/dist/proxy.js /build/dist/ThirdPartyNotices.txt ./'],
      'only what runs, and the licences',
    );
    const sources = stages.flatMap((steps) => steps.filter(([name]) => name === 'COPY').map(([, rest]) => rest));
    const allowed = readFileSync(fromRoot('.dockerignore'), 'utf8').trim().split('\n');
    for (const source of sources
      .filter((rest) => !rest.startsWith('--from='))
      .flatMap((rest) => rest.split(' ').slice(0, -1)))
      assert.ok(allowed.includes(`!${source}`), source);
  });

  it('runs its command and its health check when its steps are executed in a clean folder', async () => {
    const root = mkdtempSync(join(tmpdir(), 'sealed-proxy-image-'));
    const workdirs = new Map<string, string>();
    let environment: Record<string, string> = {};
    for (const steps of stages) environment = buildStage(steps, root, workdirs);
    assert.equal(environment['PROXY_HOST'], '0.0.0.0');
    const [command = '', ...args] = jsonCommand(step('CMD'));
    const [healthCommand = '', ...healthArgs] = jsonCommand(step('HEALTHCHECK'));
    assert.deepEqual([command, healthCommand], ['node', 'bash']);

    const cwd = join(root, 'final');
    const env = { ...environment, PROXY_PORT: '0', PROXY_BACKEND_URL: 'http://127.0.0.1:9' };
    const child = spawn(process.execPath, args, { cwd, env, stdio: ['ignore', 'pipe', 'ignore'] });
    try {
      const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
      const [, port = ''] = /listening on http:\/\/0\.0\.0\.0:(\d+)$/.exec(line) ?? [];
      const path = { PATH: `${dirname(process.execPath)}${delimiter}${process.env['PATH'] ?? ''}` };
      // Windows's own bash is that of another system.
      const check: [string, string[]] =
        process.platform === 'win32' ? ['node', ['proxy.js', '--health']] : [healthCommand, healthArgs];
      const ask = (env: Record<string, string>) =>
        spawnSync(...check, { cwd, env: { ...path, ...environment, ...env } }).status;
      assert.equal(ask({ PROXY_PORT: port }), 0);
      assert.equal(ask({ PROXY_PORT: '9' }), 1);
      // By the program, which the shell leaves all other addresses to.
      assert.equal(ask({ PROXY_PORT: port, PROXY_HOST: '127.0.0.1' }), 0);
      assert.equal(ask({ PROXY_PORT: '9', PROXY_HOST: '127.0.0.1' }), 1);
      const health = (await (await fetch(`http://127.0.0.1:${port}/health`)).json()) as { status: string };
      assert.equal(health.status, 'ok');
    } finally {
      child.kill('SIGKILL');
      await once(child, 'exit');
      rmSync(root, { recursive: true });
    }
  });
});

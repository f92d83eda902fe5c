// The agents that speak a dialect, each with a task in a Git repository. The model follows a script.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Agent, Step } from '../support/assistants/agents.ts';
import { AGENTS, latestMessages, messagesIn, stepsOf, textOf } from '../support/assistants/agents.ts';
import { behaves } from '../support/assistants/behaves.ts';
import { openBench } from '../support/assistants/bench.ts';
import type { Bench, Command } from '../support/assistants/bench.ts';
import { nameOf, writeFile } from '../support/assistants/configuration.ts';
import { play } from '../support/assistants/script.ts';
import type { Turn } from '../support/assistants/script.ts';
import { note } from '../support/assistants/table.ts';
import { perTest } from '../support/e2e/scope.ts';

const FILE = 'greet.js';
const LINE = `console.log('hello');`;
const LONG = 40;

describe('Real agents', () => {
  const scope = perTest();

  for (const agent of AGENTS) {
    const name = nameOf(agent.id);

    behaves(
      agent.id,
      'reads, edits and runs a program in a Git repository, handles failures, and resumes',
      async () => {
        const secret = `word-${randomBytes(8).toString('hex')}`;
        const edited = `console.log('${secret}');`;
        const turns: Turn[] = [];
        const bench = await openRepository(agent, turns);
        const path = join(bench.project, FILE);
        turns.push(
          [agent.read(path)],
          [agent.edit(path, `console.log('absent');`, edited)],
          [agent.edit(path, LINE, edited)],
          [agent.run(`node ${FILE}`), agent.run('git diff --stat')],
          [agent.run('echo partly; exit 3')],
          'The first part is done.',
        );
        await runs(bench, agent.start(`Let ${FILE} print the word.`), 'The first part is done.');
        assert.equal(readFileSync(path, 'utf8'), `${edited}\n`);
        assert.equal(git(bench, 'status', '--porcelain').trim(), `M ${FILE}`);
        const first = stepsOf(latestMessages(bench, agent.editTool));
        const [read, wrong, right, run, diff, failing] = first;
        assert.ok(read && wrong && right && run && diff && failing);
        assert.equal(first.length, 6);
        assert.match(read.result, /console\.log\('hello'\);/);
        assert.match(wrong.result, /not found|failed|error/i);
        assert.doesNotMatch(right.result, /not found|failed|error/i);
        assert.ok(run.result.includes(secret), run.result);
        assert.match(diff.result, /greet\.js \| 2 \+-/);
        assert.match(failing.result, /partly/);
        assert.match(failing.result, /\b3\b/);

        turns.push([agent.run('git diff --name-only')], 'The second part is done.');
        await runs(bench, agent.resume('Which files did you change?'), 'The second part is done.');
        const all = stepsOf(latestMessages(bench, agent.editTool));
        assert.deepEqual(all.slice(0, 6).map(withoutResult), first.map(withoutResult));
        assert.equal(all.length, 7);
        assert.match(all[6]?.result ?? '', /greet\.js/);
        const texts = latestMessages(bench, agent.editTool).map(({ role, content }) => `${role}: ${textOf(content)}`);
        assert.ok(texts.includes('assistant: The first part is done.'), texts.join('\n'));
        note(name, 'did', 'edited a file in a Git repository, ran commands in parallel, handled failures, resumed');
        note(name, 'enclave', recordOf(bench));
      },
    );

    behaves(agent.id, `carries a history of ${LONG} calls in their order`, async () => {
      const command = (index: number) => `seq ${index * 1000} ${index * 1000 + 600}`;
      const turns: Turn[] = Array.from({ length: LONG }, (_each, index) => [agent.run(command(index))]);
      const bench = await openRepository(agent, [...turns, 'That was long.']);
      await runs(bench, agent.start('Run many commands.'), 'That was long.');
      const steps = stepsOf(latestMessages(bench, agent.editTool));
      assert.equal(steps.length, LONG);
      assert.equal(new Set(steps.map(({ id }) => id)).size, LONG);
      for (const [index, { json, result }] of steps.entries()) {
        assert.ok(json.includes(command(index)), json);
        assert.ok(result.includes(`${index * 1000 + 599}`), result);
      }
      note(name, 'did', `carried a history of ${LONG} calls`);
    });

    behaves(agent.id, 'summarizes a conversation that no longer fits the context window, and goes on', async () => {
      const summary = `summary-${randomBytes(8).toString('hex')}`;
      const calls: Turn[] = Array.from({ length: 12 }, (_each, index) => [
        agent.run(`seq ${index * 3000} ${index * 3000 + 2900}`),
      ]);
      const bench = await openRepository(agent, [...calls, 'That was too long.'], summary, SMALL_WINDOW);
      await runs(bench, agent.start('Run some commands with much output.'), 'That was too long.');
      const messages = latestMessages(bench, agent.editTool);
      assert.ok(messages.some(({ content }) => textOf(content).includes(summary)));
      assert.ok(stepsOf(messages).length < calls.length);
      note(name, 'did', 'summarized a conversation that was too long');
    });
  }

  /** A repository with one commit, and the agent configured by our own code. */
  async function openRepository(
    { id, editTool, asksForSummary }: Agent,
    turns: Iterable<Turn>,
    summary = '',
    contextWindow?: number,
  ): Promise<Bench> {
    const bench = await openBench(scope, () => play(editTool, turns, asksForSummary, summary), contextWindow);
    const written = await writeFile(id, bench.endpoint);
    note(nameOf(id), 'configured by', `~/${written?.path}`);
    writeFileSync(join(bench.project, FILE), `${LINE}\n`);
    git(bench, 'init', '--quiet');
    git(bench, 'add', '.');
    git(bench, '-c', 'user.name=T', '-c', 'user.email=t@example.com', 'commit', '--quiet', '-m', 'Start');
    return bench;
  }

  async function runs(bench: Bench, command: Command, text: string): Promise<void> {
    const process = bench.start(command);
    const { code } = await process.exit();
    const output = [...process.stdout.items, ...process.stderr.items].join('\n');
    assert.ok(code === 0 && output.includes(text), `exit code ${code}\n${output}`);
  }
});

const SMALL_WINDOW = 40_000;

/** The requests that the enclave has decrypted. */
function recordOf({ answers }: Bench): string {
  const chats = answers.filter(({ request }) => request.target === '/v1/chat/completions');
  const counts = chats.map(({ request }) => messagesIn(request.body).length);
  return `${chats.length} requests with ${counts.join(', ')} messages, every call with its result`;
}

function git({ project }: Bench, ...args: readonly string[]): string {
  return execFileSync('git', args, { cwd: project, encoding: 'utf8' });
}

/** Agents shorten old results. */
function withoutResult({ id, name, json }: Step): Omit<Step, 'result'> {
  return { id, name, json };
}

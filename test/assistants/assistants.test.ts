// Real releases of the assistants, each told by our own code where the proxy is, and by nothing else.
import assert from 'node:assert/strict';
import type { RunningProcess } from '../support/e2e/process.ts';
import { perTest } from '../support/e2e/scope.ts';
import { EventQueue } from '../support/e2e/eventQueue.ts';
import { openBench } from '../support/assistants/bench.ts';
import type { Bench, Command } from '../support/assistants/bench.ts';
import { moduleIn, nameOf, shellScript, snippetOf, writeFile } from '../support/assistants/configuration.ts';
import type { Written } from '../support/assistants/configuration.ts';
import { assertExactBytes, assertKeys, assertToolResult, noteRequest } from '../support/assistants/evidence.ts';
import { ABORTING, ALIVE, LIBRARIES, READ_FILE } from '../support/assistants/libraries.ts';
import { folderOf, isWanted, modulesOf, noteRelease } from '../support/assistants/releases.ts';
import { PYTHON } from '../support/assistants/python.ts';
import { GREETING_TEXT, answerForever, callOnce, sentenceWith } from '../support/assistants/script.ts';
import type { Tool } from '../support/assistants/script.ts';
import { measureStop, watched } from '../support/assistants/stopping.ts';
import { note, showTable } from '../support/assistants/table.ts';
import { TERMINALS } from '../support/assistants/terminals.ts';
import type { Terminal } from '../support/assistants/terminals.ts';

/** An assistant starts, looks around, and asks two or three times. In milliseconds. */
const PATIENCE = 100_000;
const TASK = 'Read the file fact.txt and tell me the word in it.';
/** From the end of the assistant's connection until the enclave knows, in milliseconds. */
const PROMPTLY = 200;
/** Whatever else this computer does takes its time as well, so the best of three counts. The table has all of them. */
const RETRIES = 2;

describe('Real assistants', () => {
  const scope = perTest();

  after(showTable);

  for (const terminal of TERMINALS) {
    const { id, tool, maxTokens } = terminal;
    const name = nameOf(id);

    promise(id, 'reads a file by its own tool and tells what is in it', async () => {
      const bench = await openBench(scope, (path) => callOnce(tool, path));
      const file = await writeFile(id, bench.connection);
      const assistant = bench.start(await commandOf(terminal, bench, file));
      await assertSays(sentenceWith(bench.word), assistant);
      assertToolResult(name, bench, tool);
      assertEvidence(name, bench, assistant, maxTokens);
      const left = await bench.clear();
      if (await file?.undo()) note(name, 'did', 'wrote to its configuration, from which ours was taken out again');
      if (left > 0) note(name, 'did', `left ${left} ${left === 1 ? 'process' : 'processes'} behind, ended`);
    });

    promise(id, 'lets the enclave know at once when it is interrupted', async () => {
      await assertStops(name, tool, (bench) => commandOf(terminal, bench), 'SIGINT');
    }).retries(RETRIES);
  }

  for (const { id, question, withTool } of LIBRARIES) {
    const name = nameOf(id);

    promise(id, 'streams by the snippet as it stands', async () => {
      const bench = await openBench(scope, (path) => callOnce(undefined, path));
      const program = bench.start(moduleCommand(bench, id, snippetOf(id, bench.connection)));
      await assertSays(GREETING_TEXT, program);
      noteSnippet(name);
      assertEvidence(name, bench, program);
    });

    promise(id, 'calls a tool with the client of the snippet', async () => {
      const bench = await openBench(scope, (path) => callOnce(READ_FILE, path));
      const program = bench.start(moduleCommand(bench, id, goOn(id, question, withTool, bench)));
      await assertSays(sentenceWith(bench.word), program);
      assertToolResult(name, bench, READ_FILE);
      assertEvidence(name, bench, program);
    });
  }

  for (const { id, command } of PYTHON.filter((program) => isWanted(program.id))) {
    promise(id, 'streams by the snippet as it stands', async () => {
      const bench = await openBench(scope, (path) => callOnce(undefined, path));
      const program = bench.start(command(folderOf(id), bench));
      await assertSays(GREETING_TEXT, program);
      noteSnippet(nameOf(id));
      assertEvidence(nameOf(id), bench, program);
    });
  }

  promise('openai-node', 'lets the enclave know at once when the program aborts, and lives on', async () => {
    const library = LIBRARIES.find(({ id }) => id === 'openai-node');
    assert.ok(library);
    const { id, question } = library;
    const command = (bench: Bench) => moduleCommand(bench, id, goOn(id, question, ABORTING, bench));
    const program = await assertStops(nameOf(id), undefined, command, 'SIGUSR2');
    await program.stdout.find('the words behind the stream', (line) => line.includes(ALIVE));
  }).retries(RETRIES);

  promise('curl', 'streams by the snippet as it stands', async () => {
    const bench = await openBench(scope, (path) => callOnce(undefined, path));
    const program = bench.start({ file: 'sh', args: [shellScript('curl', bench)] });
    await assertSays('[DONE]', program);
    noteSnippet('curl');
    assertEvidence('curl', bench, program);
  });

  promise('curl', 'lets the enclave know at once when it is interrupted', async () => {
    const command = (bench: Bench) => ({ file: 'sh', args: [shellScript('curl', bench)] });
    await assertStops('curl', undefined, command, 'SIGINT');
  }).retries(RETRIES);

  /** Ends the assistant in the middle of an answer. */
  async function assertStops(
    name: string,
    tool: Tool | undefined,
    command: (bench: Bench) => Command | Promise<Command>,
    signal: NodeJS.Signals,
  ): Promise<RunningProcess> {
    const gone = new EventQueue<number>();
    const bench = await openBench(scope, () => watched(answerForever(tool), gone));
    const assistant = bench.start(await command(bench));
    const stop = () => process.kill(-assistant.pid, signal); // the whole group, as a terminal does
    const { fromSignal, fromClose } = await measureStop(bench, gone, stop, PATIENCE);
    const [ours, all] = [fromClose, fromSignal].map((time) => time.toFixed(1));
    note(name, 'stopped: enclave knows after', `${ours} ms from the end of its connection, ${all} ms from the signal`);
    assert.ok(fromClose < PROMPTLY, `the enclave knew after ${ours} ms`);
    return assistant;
  }
});

/** A test of one assistant, whose row says what became of it. */
function promise(id: string, behaviour: string, body: () => Promise<void>): Mocha.Test {
  const name = nameOf(id);
  return it(`${name} ${behaviour}`, async () => {
    noteRelease(name, id);
    try {
      await body();
    } catch (error) {
      const [reason = ''] = (error instanceof Error ? error.message : String(error)).split('\n');
      note(name, 'did', `FAILED: ${reason}`);
      throw error;
    }
  });
}

function noteSnippet(name: string): void {
  note(name, 'configured by', 'the snippet');
  note(name, 'did', 'streamed by the snippet as it stands');
}

async function commandOf({ id, command }: Terminal, bench: Bench, file?: Written): Promise<Command> {
  const written = file ?? (await writeFile(id, bench.connection));
  note(nameOf(id), 'configured by', written === undefined ? 'the snippet' : `~/${written.path}`);
  return command(modulesOf(id), TASK, written === undefined ? shellScript(id, bench) : written.path);
}

function moduleCommand(bench: Bench, id: string, text: string): Command {
  return { file: process.execPath, args: [moduleIn(bench, 'program.mjs', text, modulesOf(id))] };
}

/** What makes the client in the snippet, and then another program. */
function goOn(id: string, question: string, program: string, { connection }: Bench): string {
  const [client = '', ...rest] = snippetOf(id, connection).split(question);
  assert.equal(rest.length, 1);
  return `${client}const MODEL = ${JSON.stringify(connection.model.id)};\n${program}\n`;
}

/** The assistant ends well, and has printed this. */
async function assertSays(text: string, assistant: RunningProcess): Promise<void> {
  const { code } = await assistant.exit(PATIENCE);
  const [printed, complained] = [assistant.stdout, assistant.stderr].map(({ items }) => items.join('\n'));
  assert.ok(code === 0 && printed?.includes(text), `exit code ${code}\n${printed}\n${complained}`);
}

function assertEvidence(name: string, bench: Bench, assistant: RunningProcess, maxTokens: number | null = null): void {
  assertKeys(name, bench, assistant);
  noteRequest(name, bench, maxTokens);
  assertExactBytes(name, bench);
}

// Releases of real assistants and libraries, configured only by the product's own code.
import assert from 'node:assert/strict';
import { behaves } from '../support/assistants/behaves.ts';
import { openBench } from '../support/assistants/bench.ts';
import type { Bench, Command } from '../support/assistants/bench.ts';
import { dialectOf, moduleIn, nameOf, shellScript, snippetOf, writeFile } from '../support/assistants/configuration.ts';
import type { Written } from '../support/assistants/configuration.ts';
import {
  assertExactBytes,
  assertKeys,
  assertToolResult,
  assertTranslated,
  noteRequest,
} from '../support/assistants/evidence.ts';
import { ABORTING, ALIVE, LIBRARIES, READ_FILE } from '../support/assistants/libraries.ts';
import { PYTHON } from '../support/assistants/python.ts';
import { folderOf, isRequested, modulesOf } from '../support/assistants/releases.ts';
import { GREETING_TEXT, answerForever, callOnce, sentenceWith } from '../support/assistants/script.ts';
import type { Tool } from '../support/assistants/script.ts';
import { measureStop, watched } from '../support/assistants/stopping.ts';
import { note } from '../support/assistants/table.ts';
import { TERMINALS } from '../support/assistants/terminals.ts';
import type { Terminal } from '../support/assistants/terminals.ts';
import { EventQueue } from '../support/e2e/eventQueue.ts';
import type { RunningProcess } from '../support/e2e/process.ts';
import { perTest } from '../support/e2e/scope.ts';

const TASK = 'Read the file fact.txt and tell me the word in it.';

describe('Real assistants', () => {
  const scope = perTest();

  for (const terminal of TERMINALS) {
    const { id, tool, maxTokens } = terminal;
    const name = nameOf(id);

    behaves(id, 'reads a file with its own tool and reports the content', async () => {
      const bench = await openBench(scope, (path) => callOnce(tool, path));
      const file = await writeFile(id, bench.endpoint);
      const assistant = bench.start(await commandOf(terminal, bench, file));
      await assertPrints(sentenceWith(bench.word), assistant);
      assertToolResult(name, bench, tool);
      assertRequests(id, bench, assistant, maxTokens);
      const left = await bench.endProcesses();
      if (await file?.undo()) note(name, 'did', 'edited its configuration; our entry was removed from it');
      if (left > 0) note(name, 'did', `left ${left} ${left === 1 ? 'process' : 'processes'} running, which were ended`);
    });

    behaves(id, 'aborts the request in the enclave when it is interrupted', async () => {
      await assertStops(name, tool, (bench) => commandOf(terminal, bench), 'SIGINT');
    });
  }

  for (const { id, question, withTool, maxTokens: limit } of LIBRARIES) {
    const name = nameOf(id);

    behaves(id, 'streams with the unmodified snippet', async () => {
      const bench = await openBench(scope, (path) => callOnce(undefined, path));
      const program = bench.start(moduleCommand(bench, id, snippetOf(id, bench.endpoint)));
      await assertPrints(GREETING_TEXT, program);
      noteSnippet(name);
      assertRequests(id, bench, program, limit);
    });

    if (withTool === undefined) continue;
    behaves(id, 'calls a tool with the client that the snippet creates', async () => {
      const bench = await openBench(scope, (path) => callOnce(READ_FILE, path));
      const program = bench.start(moduleCommand(bench, id, withProgram(id, question, withTool, bench)));
      await assertPrints(sentenceWith(bench.word), program);
      assertToolResult(name, bench, READ_FILE);
      assertRequests(id, bench, program, limit);
    });
  }

  for (const { id, command, maxTokens: limit } of PYTHON.filter((program) => isRequested(program.id))) {
    behaves(id, 'streams with the unmodified snippet', async () => {
      const bench = await openBench(scope, (path) => callOnce(undefined, path));
      const program = bench.start(command(folderOf(id), bench));
      await assertPrints(GREETING_TEXT, program);
      noteSnippet(nameOf(id));
      assertRequests(id, bench, program, limit);
    });
  }

  behaves('openai-node', 'aborts the request in the enclave with the program, which keeps running', async () => {
    const library = LIBRARIES.find(({ id }) => id === 'openai-node');
    assert.ok(library);
    const { id, question } = library;
    const command = (bench: Bench) => moduleCommand(bench, id, withProgram(id, question, ABORTING, bench));
    const program = await assertStops(nameOf(id), undefined, command, 'SIGUSR2');
    await program.stdout.find('the line after the stream', (line) => line.includes(ALIVE));
  });

  behaves('curl', 'streams with the unmodified snippet', async () => {
    const bench = await openBench(scope, (path) => callOnce(undefined, path));
    const program = bench.start({ file: 'sh', args: [shellScript('curl', bench)] });
    await assertPrints('[DONE]', program);
    noteSnippet('curl');
    assertRequests('curl', bench, program);
  });

  behaves('curl', 'aborts the request in the enclave when it is interrupted', async () => {
    const command = (bench: Bench) => ({ file: 'sh', args: [shellScript('curl', bench)] });
    await assertStops('curl', undefined, command, 'SIGINT');
  });

  /** Interrupts the assistant in the middle of a response. */
  async function assertStops(
    name: string,
    tool: Tool | undefined,
    command: (bench: Bench) => Command | Promise<Command>,
    signal: NodeJS.Signals,
  ): Promise<RunningProcess> {
    const aborted = new EventQueue<number>();
    const bench = await openBench(scope, () => watched(answerForever(tool), aborted));
    const assistant = bench.start(await command(bench));
    const stop = () => process.kill(-assistant.pid, signal); // the process group, as a terminal does
    const { fromSignal, fromClose } = await measureStop(bench, aborted, stop);
    const [own, total] = [fromClose, fromSignal].map((time) => time.toFixed(1));
    note(name, 'abort reaches the enclave', `${own} ms after its connection ends, ${total} ms after the signal`);
    return assistant;
  }
});

function noteSnippet(name: string): void {
  note(name, 'configured by', 'the snippet');
  note(name, 'did', 'streamed with the unmodified snippet');
}

async function commandOf({ id, command }: Terminal, bench: Bench, file?: Written): Promise<Command> {
  const written = file ?? (await writeFile(id, bench.endpoint));
  note(nameOf(id), 'configured by', written === undefined ? 'the snippet' : `~/${written.path}`);
  return command(modulesOf(id), TASK, written === undefined ? shellScript(id, bench) : written.path);
}

function moduleCommand(bench: Bench, id: string, text: string): Command {
  return { file: process.execPath, args: [moduleIn(bench, 'program.mjs', text, modulesOf(id))] };
}

/** The part of the snippet that creates the client, followed by another program. */
function withProgram(id: string, question: string, program: string, { endpoint }: Bench): string {
  const [client = '', ...rest] = snippetOf(id, endpoint).split(question);
  assert.equal(rest.length, 1);
  return `${client}const MODEL = ${JSON.stringify(endpoint.model.id)};\n${program}\n`;
}

/** The assistant exits successfully and has printed this. */
async function assertPrints(text: string, assistant: RunningProcess): Promise<void> {
  const { code } = await assistant.exit();
  const [output, errors] = [assistant.stdout, assistant.stderr].map(({ items }) => items.join('\n'));
  assert.ok(code === 0 && output?.includes(text), `exit code ${code}\n${output}\n${errors}`);
}

function assertRequests(id: string, bench: Bench, assistant: RunningProcess, maxTokens: number | null = null): void {
  const [name, dialect] = [nameOf(id), dialectOf(id)];
  assertKeys(name, bench, assistant);
  noteRequest(name, bench, maxTokens);
  if (dialect === undefined) assertExactBytes(name, bench);
  else assertTranslated(name, bench, dialect);
}

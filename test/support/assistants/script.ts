// The model of these tests: it ignores the assistant's prompt, calls one tool, and reports what the tool has found.
import type { Answer } from '../../../src/devEnclave/model/answer.ts';
import { callTools, say } from '../../../src/devEnclave/model/answer.ts';
import type { ApiHandler } from '../../../src/devEnclave/model/apiHandler.ts';
import { parseChatRequest } from '../../../src/devEnclave/model/chatRequest.ts';
import type { ChatRequest } from '../../../src/devEnclave/model/chatRequest.ts';
import { writeAnswer } from '../../../src/devEnclave/model/chatWriter.ts';
import { createModel } from '../../../src/devEnclave/model/model.ts';
import { parseJson } from '../../../src/shared/json.ts';

/** A tool of an assistant that reads a file. */
export interface Tool {
  readonly name: string;
  /** The arguments for the absolute path of a file. */
  readonly argumentsFor: (path: string) => object;
}

/** The word in the file, which an assistant cannot know without reading it. */
export const WORD = /word-[0-9a-f]{32}/;
/** The first word of a response that does not end. */
export const BEGIN = 'Beginning';

/** The response if there is nothing to read. */
export const GREETING_TEXT = 'Hello from the enclave.';

/** The response with the word, which differs from the text of the file. */
export function sentenceWith(word: string): string {
  return `It says ${word} there.`;
}

/** The pause between two chunks of a stream, in milliseconds, so that each is sent in a packet of its own. */
const PACE_MS = 1;
const GREETING: Answer = { steps: [think('No tool. '), ...say(GREETING_TEXT)] };

/** Calls `tool` for the file, then responds with the word in the result. Greets if the tool is not offered. */
export function callOnce(tool: Tool | undefined, path: string): ApiHandler {
  return answering((request) => {
    const word = resultOf(request);
    if (word !== undefined) return { steps: [think('I have it. '), ...say(sentenceWith(word))] };
    if (tool === undefined || !offers(request, tool)) return GREETING;
    const call = { name: tool.name, json: JSON.stringify(tool.argumentsFor(path)) };
    return { steps: [think('I should read it. '), ...callTools([call])] };
  });
}

/** Begins a response that does not end, if this tool is offered or no tool is given. */
export function answerForever(tool: Tool | undefined): ApiHandler {
  return answering((request) => {
    if (tool !== undefined && !offers(request, tool)) return GREETING;
    return { steps: [...say(`${BEGIN} to answer.`), { kind: 'stall' }] };
  });
}

/** A tool call of the model. */
export interface Call {
  readonly name: string;
  readonly arguments: object;
}

/** A turn of a scripted model: calls at the same time, or the text that ends the turn. */
export type Turn = string | readonly Call[];

/**
 * Takes one turn after another for each request that offers the tool; greets other requests. Summarizes the conversation if
 * the last user message asks for it.
 */
export function play(tool: string, turns: Iterable<Turn>, asksForSummary: RegExp, summary: string): ApiHandler {
  const rest = turns[Symbol.iterator]();
  return answering((request) => {
    const last = request.messages.findLast(({ role }) => role === 'user')?.text ?? '';
    if (asksForSummary.test(last)) return { steps: say(`<summary>${summary}</summary>`) };
    if (!request.tools.some(({ name }) => name === tool)) return GREETING;
    const { value: turn = GREETING_TEXT } = rest.next() as { value?: Turn };
    if (typeof turn === 'string') return { steps: [think('I am done. '), ...say(turn)] };
    const calls = turn.map(({ name, arguments: input }) => ({ name, json: JSON.stringify(input) }));
    return { steps: [think('I need tools. '), ...callTools(calls)] };
  });
}

/** Calls one tool for each request that `callFor` gives a call for; greets otherwise. */
export function callWhen(callFor: (request: ChatRequest) => Call | undefined): ApiHandler {
  return answering((request) => {
    const call = callFor(request);
    if (call === undefined) return GREETING;
    return {
      steps: [think('I need help. '), ...callTools([{ name: call.name, json: JSON.stringify(call.arguments) }])],
    };
  });
}

function answering(answer: (request: ChatRequest) => Answer): ApiHandler {
  const model = createModel({ paceMs: 0 });
  return async (request, response) => {
    if (request.target !== '/v1/chat/completions') return model(request, response);
    const body = request.body ?? new Uint8Array(0);
    const chat = parseChatRequest(body, parseJson(body));
    await writeAnswer(chat, answer(chat), PACE_MS, response);
  };
}

function offers({ tools }: ChatRequest, tool: Tool): boolean {
  return tools.some(({ name }) => name === tool.name);
}

/** The word in the latest tool results. */
function resultOf({ messages }: ChatRequest): string | undefined {
  return messages
    .slice(messages.findLastIndex(({ role }) => role === 'assistant') + 1)
    .filter(({ role }) => role === 'tool')
    .map(({ text }) => WORD.exec(text)?.[0])
    .find((word) => word !== undefined);
}

function think(text: string) {
  return { kind: 'reasoning', text } as const;
}

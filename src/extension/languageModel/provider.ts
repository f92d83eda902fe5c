// Our models in the editor's own chat, over the same local endpoint that others use.
import type { IncomingMessage } from 'node:http';
import * as vscode from 'vscode';
import type { ProxyStatus } from '../../shared/status.ts';
import type { Supervisor } from '../../supervisor/supervisor.ts';
import { AnswerReader } from '../../chat/answer.ts';
import type { AnswerEvent } from '../../chat/answer.ts';
import { RefusedError, toEditorError } from './editorError.ts';
import { describeFailure } from '../../chat/failure.ts';
import type { ChatFailure } from '../../chat/failure.ts';
import { chatModels, describeModel } from '../../chat/models.ts';
import type { ChatModel } from '../../chat/models.ts';
import type { ModelOverrides } from '../../settings/modelOverrides.ts';
import { chatRequest } from '../../chat/request.ts';
import type { Message, Part } from '../../chat/request.ts';
import { countMessageTokens, countTokens } from '../../chat/tokens.ts';
import { MAX_ERROR, bodyOf } from '../../chat/testRequest.ts';

export const VENDOR = 'sealed-proxy';

/** What the editor hands back when it asks for an answer. */
interface Information extends vscode.LanguageModelChatInformation {
  readonly model: ChatModel;
}

/** With what the editor says but does not publish. */
interface RequestOptions extends vscode.ProvideLanguageModelChatResponseOptions {
  readonly requestInitiator?: string;
}

type Progress = vscode.Progress<vscode.LanguageModelResponsePart>;

/** In the editor since its 1.10x, but not among the published types. */
type ThinkingPart = new (text: string) => vscode.LanguageModelResponsePart;

/** `System`, which the published enumeration leaves out. */
const SYSTEM = 3;
/** The kind of data that holds the usage of an answer. */
const USAGE = 'usage';

export class ChatProvider implements vscode.LanguageModelChatProvider<Information>, vscode.Disposable {
  readonly #supervisor: Supervisor;
  readonly #overrides: () => ModelOverrides;
  readonly #onAnswered: () => void;
  readonly #changed = new vscode.EventEmitter<void>();
  readonly #registration: vscode.Disposable;
  #offered: readonly Information[] = [];

  constructor(supervisor: Supervisor, overrides: () => ModelOverrides, onAnswered: () => void) {
    this.#supervisor = supervisor;
    this.#overrides = overrides;
    this.#onAnswered = onAnswered;
    this.#registration = vscode.lm.registerLanguageModelChatProvider(VENDOR, this);
  }

  get onDidChangeLanguageModelChatInformation(): vscode.Event<void> {
    return this.#changed.event;
  }

  /** The models follow key, backend and connection. While it is only being checked, they stay. */
  update(status: ProxyStatus): void {
    if (status.kind === 'running' && status.health.kind === 'checking') return;
    const next = this.#offer(status);
    if (JSON.stringify(next) === JSON.stringify(this.#offered)) return;
    this.#offered = next;
    this.#changed.fire();
  }

  provideLanguageModelChatInformation(): Information[] {
    return [...this.#offered];
  }

  #offer(status: ProxyStatus): Information[] {
    if (status.kind !== 'running' || status.health.kind !== 'connected') return [];
    return chatModels(status.health.catalogue, this.#overrides()).map((model) => ({
      model,
      id: model.id,
      name: model.name,
      family: model.id,
      version: '1',
      detail: 'Sealed Proxy',
      tooltip: describeModel(model, status.verified, vscode.l10n.t),
      maxInputTokens: model.maxInputTokens,
      maxOutputTokens: model.maxOutputTokens,
      capabilities: { imageInput: model.images, toolCalling: model.tools },
    }));
  }

  async provideLanguageModelChatResponse(
    { model }: Information,
    messages: readonly vscode.LanguageModelChatRequestMessage[],
    { tools = [], toolMode, modelOptions = {}, requestInitiator }: RequestOptions,
    progress: Progress,
    token: vscode.CancellationToken,
  ): Promise<void> {
    const body = chatRequest(model, {
      messages: messages.map(toMessage),
      tools: tools.map(({ name, description, inputSchema }) => ({ name, description, schema: inputSchema })),
      toolRequired: toolMode === vscode.LanguageModelChatToolMode.Required,
      options: modelOptions,
    });
    const abort = new AbortController();
    const cancelling = token.onCancellationRequested(() => {
      abort.abort();
    });
    try {
      if (token.isCancellationRequested) throw new vscode.CancellationError();
      await this.#answer(body, progress, abort.signal);
      this.#onAnswered();
    } catch (error) {
      if (abort.signal.aborted) throw new vscode.CancellationError();
      throw toEditorError(error, requestInitiator);
    } finally {
      cancelling.dispose();
    }
  }

  provideTokenCount(_model: Information, text: string | vscode.LanguageModelChatRequestMessage): Promise<number> {
    return Promise.resolve(typeof text === 'string' ? countTokens(text) : countMessageTokens(toMessage(text)));
  }

  dispose(): void {
    this.#registration.dispose();
    this.#changed.dispose();
  }

  async #answer(body: string, progress: Progress, signal: AbortSignal): Promise<void> {
    const { line, accessKey } = await this.#supervisor.connect();
    try {
      signal.throwIfAborted();
      const response = await line.chat(accessKey, body, signal);
      response.setEncoding('utf8');
      if (response.statusCode !== 200) throw new RefusedError(await describe(response));
      const reader = new AnswerReader((event) => {
        report(event, progress);
      });
      for await (const text of response) reader.push(text as string);
      reader.end();
    } finally {
      line.end();
    }
  }
}

async function describe(response: IncomingMessage): Promise<ChatFailure> {
  return describeFailure(response.statusCode ?? 0, await bodyOf(response, MAX_ERROR), response.headers['retry-after']);
}

function report(event: AnswerEvent, progress: Progress): void {
  switch (event.kind) {
    case 'text':
      progress.report(new vscode.LanguageModelTextPart(event.text));
      break;
    case 'thinking': {
      const { LanguageModelThinkingPart: Thinking } = vscode as { LanguageModelThinkingPart?: ThinkingPart };
      if (Thinking !== undefined) progress.report(new Thinking(event.text));
      break;
    }
    case 'toolCall':
      progress.report(new vscode.LanguageModelToolCallPart(event.id, event.name, event.input));
      break;
    case 'usage':
      progress.report(usagePart(event.input, event.output));
      break;
  }
}

/** As the editor's chat reads it from every provider, to show how full the context is. */
function usagePart(input: number, output: number): vscode.LanguageModelDataPart {
  const usage = { prompt_tokens: input, completion_tokens: output, total_tokens: input + output };
  return vscode.LanguageModelDataPart.json(usage, USAGE);
}

function toMessage({ role, content }: vscode.LanguageModelChatRequestMessage): Message {
  return { role: roleOf(role), parts: content.flatMap(toPart) };
}

function roleOf(role: number): Message['role'] {
  if (role === SYSTEM) return 'system';
  return role === (vscode.LanguageModelChatMessageRole.Assistant as number) ? 'assistant' : 'user';
}

function toPart(part: unknown): Part[] {
  if (typeof part === 'string') return [{ kind: 'text', text: part }];
  if (part instanceof vscode.LanguageModelTextPart) return [{ kind: 'text', text: part.value }];
  if (part instanceof vscode.LanguageModelToolCallPart) {
    return [{ kind: 'toolCall', id: part.callId, name: part.name, input: part.input }];
  }
  if (part instanceof vscode.LanguageModelToolResultPart) {
    return [{ kind: 'toolResult', id: part.callId, parts: part.content.flatMap(toPart) }];
  }
  if (part instanceof vscode.LanguageModelDataPart) return dataPart(part);
  return [{ kind: 'thinking' }];
}

/** Images are shown; texts and JSON are read; what is meant for somebody else (cache marks and the like) is not sent. */
function dataPart({ mimeType, data }: vscode.LanguageModelDataPart): Part[] {
  if (mimeType.startsWith('image/')) return [{ kind: 'image', mime: mimeType, data }];
  if (mimeType.startsWith('text/') && !mimeType.includes('x-')) return [{ kind: 'text', text: decode(data) }];
  return mimeType === 'application/json' ? [{ kind: 'text', text: decode(data) }] : [];
}

function decode(data: Uint8Array): string {
  return Buffer.from(data).toString('utf8');
}

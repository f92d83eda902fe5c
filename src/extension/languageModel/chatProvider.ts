// Offers the backend's models in the editor's own chat, over the local endpoint that all clients use.
import * as vscode from 'vscode';
import { toChatError } from '../../chat/chatError.ts';
import { chatModels, describeModel } from '../../chat/models.ts';
import type { ChatModel } from '../../chat/models.ts';
import { chatRequest } from '../../chat/request.ts';
import type { Message, Part } from '../../chat/request.ts';
import { ResponseReader } from '../../chat/responseReader.ts';
import type { ResponseEvent } from '../../chat/responseReader.ts';
import { MAX_ERROR, readText } from '../../chat/responseText.ts';
import { countMessageTokens, countTokens } from '../../chat/tokens.ts';
import type { ModelOverrides } from '../../settings/modelOverrides.ts';
import type { ProxyStatus } from '../../shared/status.ts';
import type { Supervisor } from '../../supervisor/supervisor.ts';
import { toEditorError } from './editorError.ts';

const VENDOR = 'sealed-proxy';

/** The editor passes this back with each request. */
interface Information extends vscode.LanguageModelChatInformation {
  readonly model: ChatModel;
}

/** With a field that the editor passes without documenting it. */
interface RequestOptions extends vscode.ProvideLanguageModelChatResponseOptions {
  readonly requestInitiator?: string;
}

type Progress = vscode.Progress<vscode.LanguageModelResponsePart>;

/** Exists in the editor, but not in its published types. */
type ThinkingPart = new (text: string) => vscode.LanguageModelResponsePart;

/** The role `System`, which the published enumeration leaves out. */
const SYSTEM = 3;
/** The type of a data part from which the editor's chat shows how full the context window is. */
const USAGE = 'usage';

export class ChatProvider implements vscode.LanguageModelChatProvider<Information>, vscode.Disposable {
  readonly #supervisor: Supervisor;
  readonly #overrides: () => ModelOverrides;
  readonly #onAnswered: () => void;
  readonly #changed = new vscode.EventEmitter<void>();
  readonly onDidChangeLanguageModelChatInformation = this.#changed.event;
  readonly #registration: vscode.Disposable;
  #offered: readonly Information[] = [];

  constructor(supervisor: Supervisor, overrides: () => ModelOverrides, onAnswered: () => void) {
    this.#supervisor = supervisor;
    this.#overrides = overrides;
    this.#onAnswered = onAnswered;
    this.#registration = vscode.lm.registerLanguageModelChatProvider(VENDOR, this);
  }

  /** Updates the offered models. They stay while the connection is only being checked. */
  update(status: ProxyStatus): void {
    if (status.kind === 'running' && status.health.kind === 'checking') return;
    const next = modelsFor(status, this.#overrides());
    if (JSON.stringify(next) === JSON.stringify(this.#offered)) return;
    this.#offered = next;
    this.#changed.fire();
  }

  provideLanguageModelChatInformation(): Information[] {
    return [...this.#offered];
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
      await this.#send(body, progress, abort.signal);
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

  /** Sends the request and reports its response. */
  async #send(body: string, progress: Progress, signal: AbortSignal): Promise<void> {
    await this.#supervisor.withConnection(async (connection, accessKey) => {
      signal.throwIfAborted();
      const response = await connection.post('/v1/chat/completions', accessKey, body, signal);
      response.setEncoding('utf8');
      if (response.statusCode !== 200) {
        const { statusCode = 0, headers } = response;
        throw toChatError(statusCode, await readText(response, MAX_ERROR), headers['retry-after']);
      }
      const reader = new ResponseReader((event) => {
        report(event, progress);
      });
      for await (const text of response) reader.push(text as string);
      reader.end();
    });
  }
}

function modelsFor(status: ProxyStatus, overrides: ModelOverrides): Information[] {
  if (status.kind !== 'running' || status.health.kind !== 'connected') return [];
  return chatModels(status.health.catalogue, overrides).map((model) => ({
    model,
    id: model.id,
    name: model.name,
    family: model.id,
    version: '1',
    detail: 'Sealed Proxy',
    tooltip: describeModel(model, status.verified),
    maxInputTokens: model.maxInputTokens,
    maxOutputTokens: model.maxOutputTokens,
    capabilities: { imageInput: model.images, toolCalling: model.tools },
  }));
}

function report(event: ResponseEvent, progress: Progress): void {
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
    case 'usage': {
      const { input, output } = event;
      const usage = { prompt_tokens: input, completion_tokens: output, total_tokens: input + output };
      progress.report(vscode.LanguageModelDataPart.json(usage, USAGE));
      break;
    }
  }
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

/** Images, text and JSON are sent; other data, such as cache marks of other providers, is not. */
function dataPart({ mimeType, data }: vscode.LanguageModelDataPart): Part[] {
  if (mimeType.startsWith('image/')) return [{ kind: 'image', mime: mimeType, data }];
  const isText = mimeType === 'application/json' || (mimeType.startsWith('text/') && !mimeType.includes('x-'));
  return isText ? [{ kind: 'text', text: Buffer.from(data).toString('utf8') }] : [];
}

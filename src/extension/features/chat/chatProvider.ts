// Offers the backend's models in the editor's own chat, over the local endpoint that all clients use.
import * as vscode from 'vscode';
import { ChatError, toChatError } from '../../../chat/chatError.ts';
import { ConnectionWait } from '../../../chat/connectionWait.ts';
import { chosenEffort, effortChoices } from '../../../chat/effortChoices.ts';
import { KnownModels } from '../../../chat/knownModels.ts';
import { describeModel, nameInEditor } from '../../../chat/models.ts';
import type { ChatModel } from '../../../chat/models.ts';
import { chatRequest } from '../../../chat/request.ts';
import type { Conversation } from '../../../chat/request.ts';
import { ResponseReader } from '../../../chat/responseReader.ts';
import type { ResponseEvent } from '../../../chat/responseReader.ts';
import { MAX_ERROR, readText } from '../../../chat/responseText.ts';
import { OUR_VENDOR } from '../../../chat/sidePrompts/facts.ts';
import { ResponseUsage, countMessageTokens } from '../../../chat/tokens.ts';
import { isAttested } from '../../../settings/rules.ts';
import type { ProxyStatus } from '../../../shared/status.ts';
import { countTokens } from '../../../shared/tokens.ts';
import type { VerifiedConnection } from '../../../supervisor/localProxy.ts';
import type { Core } from '../../core/core.ts';
import { requestApiKey } from '../connection/askApiKey.ts';
import { EDITOR_CHAT, toEditorError } from './editorError.ts';
import { toMessage } from './messages.ts';
import { ModelChangeNotice } from './modelChangeNotice.ts';

/** How long a request waits for the connection, in milliseconds. */
const CONNECTION_WAIT = 10_000;
/** Where the last known models are stored. */
const CATALOGUE = 'chat.catalogue';

/** The editor passes this back with each request. */
interface Information extends vscode.LanguageModelChatInformation {
  readonly model: ChatModel;
  /** A field that the editor reads without documenting it: the choices in the model picker. */
  readonly configurationSchema?: object;
}

/** With a field that the editor passes without documenting it. */
interface RequestOptions extends vscode.ProvideLanguageModelChatResponseOptions {
  readonly requestInitiator?: string;
  /** What the user has chosen in the model picker, by the names of `configurationSchema`. */
  readonly modelConfiguration?: unknown;
}

type Progress = vscode.Progress<vscode.LanguageModelResponsePart>;

/** Exists in the editor, but not in its published types. */
type ThinkingPart = new (text: string) => vscode.LanguageModelResponsePart;

/** The type of a data part from which the editor's chat shows how full the context window is. */
const USAGE = 'usage';

export function registerChat(core: Core): ChatProvider {
  const provider = new ChatProvider(core);
  core.context.subscriptions.push(provider);
  return provider;
}

export class ChatProvider implements vscode.LanguageModelChatProvider<Information>, vscode.Disposable {
  readonly #core: Core;
  readonly #memory: vscode.Memento;
  readonly #known: KnownModels;
  readonly #wait: ConnectionWait;
  readonly #notice: ModelChangeNotice;
  readonly #changed = new vscode.EventEmitter<void>();
  readonly onDidChangeLanguageModelChatInformation = this.#changed.event;
  readonly #answered = new vscode.EventEmitter<void>();
  /** The editor's chat has received a response. */
  readonly onAnswered = this.#answered.event;
  readonly #subscriptions: vscode.Disposable;
  #offered: readonly Information[] = [];

  constructor(core: Core) {
    this.#core = core;
    this.#memory = core.context.globalState;
    this.#wait = new ConnectionWait(() => core.supervisor.check(false));
    this.#known = new KnownModels(this.#memory.get(CATALOGUE));
    this.#notice = new ModelChangeNotice(this.#memory);
    this.#subscriptions = vscode.Disposable.from(
      vscode.lm.registerLanguageModelChatProvider(OUR_VENDOR, this),
      core.onStatusOrSettings((status) => {
        this.#update(status);
      }),
      core.onHasApiKey((hasApiKey) => {
        this.#known.setHasApiKey(hasApiKey);
        this.#update(core.supervisor.status);
      }),
    );
  }

  /** The backend's list of models, as it was last known. */
  get catalogue(): unknown {
    return this.#known.catalogue;
  }

  /** Updates the offered models. */
  #update(status: ProxyStatus): void {
    const { settings, inBackground } = this.#core;
    const { modelOverrides, proxy } = settings();
    this.#wait.update(status);
    const before = this.#known.catalogue;
    this.#known.update(status);
    const { catalogue, withdrawal } = this.#known;
    if (JSON.stringify(catalogue) !== JSON.stringify(before)) inBackground(this.#memory.update(CATALOGUE, catalogue));
    const next = this.#known.offered(modelOverrides).map((model) => toInformation(model, isAttested(proxy.backendUrl)));
    if (JSON.stringify(next) === JSON.stringify(this.#offered)) return;
    const removed = this.#offered.filter(({ id }) => !next.some((model) => model.id === id));
    this.#offered = next;
    this.#changed.fire();
    inBackground(this.#notice.removed(removed, withdrawal));
  }

  provideLanguageModelChatInformation({ silent }: vscode.PrepareLanguageModelChatModelOptions): Information[] {
    if (!silent) this.#core.inBackground(requestApiKey(this.#core.supervisor.status, this.#core.secrets));
    return [...this.#offered];
  }

  async provideLanguageModelChatResponse(
    { model }: Information,
    messages: readonly vscode.LanguageModelChatRequestMessage[],
    { tools = [], toolMode, modelOptions = {}, modelConfiguration, requestInitiator }: RequestOptions,
    progress: Progress,
    token: vscode.CancellationToken,
  ): Promise<void> {
    if (requestInitiator === EDITOR_CHAT) this.#core.inBackground(this.#notice.used(model.id));
    const conversation: Conversation = {
      messages: messages.map(toMessage),
      tools: tools.map(({ name, description, inputSchema }) => ({ name, description, schema: inputSchema })),
      toolRequired: toolMode === vscode.LanguageModelChatToolMode.Required,
      options: modelOptions,
      reasoningEffort: chosenEffort(modelConfiguration),
    };
    const body = chatRequest(model, conversation);
    const usage = new ResponseUsage(conversation);
    const abort = new AbortController();
    const cancelling = token.onCancellationRequested(() => {
      abort.abort();
    });
    try {
      if (token.isCancellationRequested) throw new vscode.CancellationError();
      const cutOff = await this.#whenConnected(abort.signal, (connection, accessKey) =>
        send(connection, accessKey, body, usage, progress, abort.signal),
      );
      this.#answered.fire();
      if (cutOff === undefined) return;
      // For an error, the editor's chat removes what it has shown of the response.
      if (requestInitiator !== EDITOR_CHAT) throw new ChatError(cutOff);
      progress.report(new vscode.LanguageModelTextPart(`\n\n_${cutOff}_`));
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
    this.#subscriptions.dispose();
    this.#changed.dispose();
    this.#answered.dispose();
  }

  /** All data is being removed: the models are withdrawn without a notice. */
  async forget(): Promise<void> {
    await this.#notice.forget();
  }

  /** Calls `act` once the proxy is connected to the backend. */
  async #whenConnected<Result>(
    signal: AbortSignal,
    act: (connection: VerifiedConnection, accessKey: string) => Promise<Result>,
  ): Promise<Result> {
    const { supervisor } = this.#core;
    const deadline = AbortSignal.timeout(CONNECTION_WAIT);
    for (;;) {
      await this.#wait.connected(deadline, signal);
      const request = { isSent: false };
      try {
        return await supervisor.withConnection((connection, accessKey) => {
          request.isSent = true;
          signal.throwIfAborted();
          return act(connection, accessKey);
        });
      } catch (error) {
        if (request.isSent || deadline.aborted || signal.aborted) throw error;
        await this.#wait.recheck(deadline, signal); // the proxy has just gone away: another one takes its place
      }
    }
  }
}

/**
 * Sends a request and reports its response.
 * @returns a sentence for the user if the response was cut off
 */
async function send(
  connection: VerifiedConnection,
  accessKey: string,
  body: string,
  usage: ResponseUsage,
  progress: Progress,
  signal: AbortSignal,
): Promise<string | undefined> {
  const response = await connection.post('/v1/chat/completions', accessKey, body, signal);
  if (response.statusCode !== 200) {
    const { statusCode = 0, headers } = response;
    throw toChatError(statusCode, await readText(response, MAX_ERROR), headers);
  }
  let cutOff: string | undefined;
  const reader = new ResponseReader((event) => {
    usage.add(event);
    if (event.kind === 'cutOff') cutOff = event.message;
    else report(event, progress);
  });
  for await (const bytes of response) reader.push(bytes as Uint8Array);
  reader.end();
  const estimate = usage.estimate();
  if (estimate !== undefined) report(estimate, progress);
  return cutOff;
}

function toInformation(model: ChatModel, attested: boolean): Information {
  return {
    model,
    id: model.id,
    name: nameInEditor(model, attested),
    family: model.id,
    version: '1',
    detail: 'Sealed Proxy',
    tooltip: describeModel(model, attested),
    maxInputTokens: model.maxInputTokens,
    maxOutputTokens: model.maxOutputTokens,
    capabilities: { imageInput: model.images, toolCalling: model.tools },
    ...(model.reasoning && { configurationSchema: effortChoices(model) }),
  };
}

function report(event: Exclude<ResponseEvent, { kind: 'cutOff' }>, progress: Progress): void {
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

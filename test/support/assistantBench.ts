// An AssistantService with a real proxy and a development enclave, both under the control of the test.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { Assistant } from '../../src/assistants/adapters/assistant.ts';
import { AssistantService } from '../../src/assistants/assistantService.ts';
import type { Proposal } from '../../src/assistants/assistantService.ts';
import { FILE_ASSISTANTS } from '../../src/assistants/registry.ts';
import type { ApiHandler } from '../../src/devEnclave/model/apiHandler.ts';
import { createModel } from '../../src/devEnclave/model/model.ts';
import { MachineStore } from '../../src/keys/machineStore.ts';
import { Secrets } from '../../src/keys/secrets.ts';
import { baseUrlOf } from '../../src/shared/status.ts';
import { freePort } from '../../src/supervisor/freePort.ts';
import { AssistantHome } from './assistantHome.ts';
import { API_KEY } from './e2e/scope.ts';
import type { Scope } from './e2e/scope.ts';
import { EditorWindow } from './editorWindow.ts';
import { Vault } from './secretVault.ts';

export const MODEL_CHOICE = { id: 'glm-5-2', limits: { contextWindow: 400_000, maxOutput: 32_000 } };

export class AssistantBench extends AssistantHome {
  /** The key and the body of each chat request that reached the enclave. */
  readonly chatRequests: { readonly credential: string | null; readonly body: string }[] = [];
  readonly vault = new Vault();
  readonly storage = this.vault.storage();
  readonly secrets = new Secrets(this.storage, new MachineStore(this.pathOf('storage')));
  readonly editor: EditorWindow;
  readonly service: AssistantService;
  /** Responds to chat requests. */
  respond: ApiHandler;
  /** In milliseconds. */
  checkLimit = 30_000;
  /** How often the service has reported a change. */
  changes = 0;

  private constructor(editor: EditorWindow, respond: ApiHandler) {
    super();
    this.editor = editor;
    this.respond = respond;
    const limit = () => this.checkLimit;
    this.service = new AssistantService({
      get checkLimit() {
        return limit();
      },
      supervisor: {
        withConnection: (act) => editor.supervisor.withConnection(act),
        secretsChanged: async (isApiKey) => {
          editor.vault = { ...(await this.secrets.forProxy()) };
          await editor.supervisor.secretsChanged(isApiKey);
        },
      },
      secrets: this.secrets,
      assistants: FILE_ASSISTANTS,
      baseUrl: () => baseUrlOf(editor.supervisor.status),
      models: () => [MODEL_CHOICE],
      isInstalled: (id) => id === 'kilocode.Kilo-Code',
      places: { home: this.path },
      path: this.pathOf('bin'),
      onChange: () => {
        this.changes++;
      },
    });
  }

  static async open(scope: Scope): Promise<AssistantBench> {
    const model = createModel({ paceMs: 0 });
    const bench: { current?: AssistantBench } = {};
    const enclave = await scope.enclave({
      handler: (request, response) => {
        const { current } = bench;
        if (current === undefined || request.target !== '/v1/chat/completions') return model(request, response);
        current.chatRequests.push({ credential: request.credential, body: Buffer.from(request.body ?? []).toString() });
        return current.respond(request, response);
      },
    });
    const editor = EditorWindow.open(scope, { backendUrl: enclave.url, port: await freePort() });
    const opened = new AssistantBench(editor, model);
    bench.current = opened;
    scope.onClose(() => {
      opened.remove();
      return Promise.resolve();
    });
    await opened.secrets.setApiKey(API_KEY);
    editor.vault = { ...(await opened.secrets.forProxy()) };
    await editor.supervisor.start();
    await editor.health('connected');
    return opened;
  }

  async propose(assistant: Assistant, model: { readonly id: string } = MODEL_CHOICE): Promise<Proposal> {
    const proposal = await this.service.propose(assistant, model);
    assert.ok(proposal.kind === 'proposal', JSON.stringify(proposal));
    return proposal;
  }

  /** Connects with the service, as the user's agreement does. */
  async agree(assistant: Assistant, model?: { readonly id: string }): Promise<void> {
    const applied = await this.service.apply(await this.propose(assistant, model));
    assert.equal(applied.kind, 'applied', JSON.stringify(applied));
  }

  async keyOf(name: string): Promise<string | undefined> {
    return (await this.secrets.findAccessKey(name, 'assistant'))?.key;
  }

  /** A service in another window with the same secrets, without a proxy. */
  laterService(): AssistantService {
    return new AssistantService({
      supervisor: { withConnection: () => Promise.reject(new Error()), secretsChanged: () => Promise.resolve() },
      secrets: new Secrets(this.vault.storage(), new MachineStore(join(this.path, 'storage'))),
      assistants: FILE_ASSISTANTS,
      baseUrl: () => undefined,
      models: () => [],
      isInstalled: () => false,
      places: { home: this.path },
      path: this.pathOf('bin'),
    });
  }
}

// An extension only for tests: another vendor's models in the editor's chat. They have the ids and names of the development
// enclave's models, so that the editor can take one for the other, and there is a small one besides. Every text that it is
// given is appended to the file that OTHER_VENDOR_LOG names, one JSON object (`OtherVendorRequest`) per line.
import { appendFileSync } from 'node:fs';
import * as vscode from 'vscode';
import { MODELS, chatCapabilities } from '../../../src/devEnclave/model/catalogue.ts';
import type { OtherVendorRequest } from '../../support/vscode/otherVendor.ts';

/** With a field that the editor passes without documenting it. */
interface RequestOptions extends vscode.ProvideLanguageModelChatResponseOptions {
  readonly requestInitiator?: string;
}

const CHAT_MODELS = [
  ...MODELS.filter(({ id }) => chatCapabilities(id) !== undefined),
  { id: 'small-1', display_name: 'Small 1' },
];

export function activate({ subscriptions }: vscode.ExtensionContext): void {
  subscriptions.push(
    vscode.lm.registerLanguageModelChatProvider('othervendor', {
      provideLanguageModelChatInformation: () =>
        CHAT_MODELS.map(({ id, display_name: name }) => ({
          id,
          name,
          family: id,
          version: '1',
          detail: 'Other Vendor',
          maxInputTokens: 128_000,
          maxOutputTokens: 16_000,
          capabilities: { toolCalling: true, imageInput: true },
        })),
      provideLanguageModelChatResponse: (model, messages, options: RequestOptions, progress) => {
        const { modelOptions = {}, requestInitiator = '' } = options;
        const texts = messages.flatMap(textsOf);
        record({ kind: 'request', model: model.id, texts, options: modelOptions, initiator: requestInitiator });
        progress.report(new vscode.LanguageModelTextPart('An answer from another vendor.'));
        return Promise.resolve();
      },
      provideTokenCount: (model, text) => {
        const texts = typeof text === 'string' ? [text] : textsOf(text);
        record({ kind: 'count', model: model.id, texts, options: {}, initiator: '' });
        return Promise.resolve(texts.join('').length);
      },
    }),
  );
}

function textsOf({ content }: vscode.LanguageModelChatRequestMessage): string[] {
  return content.map((part) => (part instanceof vscode.LanguageModelTextPart ? part.value : JSON.stringify(part)));
}

function record(request: OtherVendorRequest): void {
  const path = process.env['OTHER_VENDOR_LOG'];
  if (path === undefined) throw new Error('OTHER_VENDOR_LOG is not set');
  appendFileSync(path, `${JSON.stringify(request)}\n`);
}

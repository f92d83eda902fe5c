import assert from 'node:assert/strict';
import { extensionSenders } from '../../../src/promptMap/extensionSenders.ts';
import type { InstalledExtension } from '../../../src/promptMap/extensionSenders.ts';

const PLAIN = { name: 'Some name', isBuiltIn: false, isForAi: false, offersModels: false };
const extension = (id: string, change: Partial<InstalledExtension> = {}): InstalledExtension => ({
  id,
  ...PLAIN,
  ...change,
});
const senderOf = (installed: InstalledExtension, covered: readonly string[] = []) =>
  extensionSenders([installed], covered)[0];

describe('extensionSenders()', () => {
  it('says what is known of an extension by its ID, not by its name', () => {
    const sender = senderOf(extension('google.geminicodeassist', { name: 'Totally sealed' }));
    assert.deepEqual([sender?.name, sender?.verdict], ['Gemini Code Assist', 'elsewhere']);
    assert.match(
      sender?.sentence ?? '',
      /^Sends prompts to Google\. This extension cannot use Sealed Proxy\. To stop it, disable it\.$/,
    );
    assert.deepEqual(sender?.remedy, { kind: 'extension', id: 'google.geminicodeassist' });
  });

  it('says how to use Sealed Proxy where the user can choose a provider', () => {
    const sender = senderOf(extension('RooVeterinaryInc.roo-cline'));
    assert.deepEqual([sender?.verdict, sender?.remedy], ['unknown', { kind: 'command', name: 'newAccessKey' }]);
  });

  it('has no button for an extension that sends nothing itself', () => {
    const sender = senderOf(extension('sst-dev.opencode'));
    assert.deepEqual([sender?.verdict, sender?.remedy], ['off', undefined]);
  });

  it('leaves out what the chat and the assistants are about, and everything that is not for AI', () => {
    assert.equal(senderOf(extension('GitHub.copilot-chat', { isForAi: true })), undefined);
    assert.equal(senderOf(extension('OpenAI.ChatGPT', { isForAi: true }), ['openai.chatgpt']), undefined);
    assert.equal(senderOf(extension('esbenp.prettier-vscode')), undefined);
    assert.equal(senderOf(extension('vscode.something', { isForAi: true, isBuiltIn: true })), undefined);
  });

  it('does not know an AI extension that is not in the table', () => {
    const sender = senderOf(extension('acme.helper', { isForAi: true, name: 'Helper' }));
    assert.deepEqual(
      [sender?.name, sender?.verdict, sender?.sentence],
      [
        'Helper',
        'unknown',
        'Sealed Proxy does not know where this extension sends prompts. Check its settings, or disable it.',
      ],
    );
  });

  it('says that the models of an extension depend on the selection in the chat', () => {
    assert.equal(senderOf(extension('acme.models', { isForAi: true, offersModels: true }))?.verdict, 'depends');
  });
});

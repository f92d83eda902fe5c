import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';

const SCHEME = 'sealed-proxy';

/** Two texts that are shown side by side. */
export interface Comparison {
  /** The document with the second text. No other one ever has its URI. */
  readonly modified: vscode.Uri;
  readonly close: () => Promise<void>;
}

/** Read-only documents that exist only while they are shown. */
export class Documents implements vscode.TextDocumentContentProvider, vscode.Disposable {
  /** By the path of the URI. */
  readonly #texts = new Map<string, string>();
  readonly #registration = vscode.workspace.registerTextDocumentContentProvider(SCHEME, this);

  provideTextDocumentContent({ path }: vscode.Uri): string {
    return this.#texts.get(path) ?? '';
  }

  /** Shows Markdown as a rendered preview, under a file name. Replaces what the last preview showed. */
  async show(name: string, markdown: string): Promise<void> {
    await vscode.commands.executeCommand('markdown.showPreview', this.#provide(name, markdown));
  }

  /** Shows two texts side by side, in a tab that stays when the user looks at other files. */
  async compare(name: string, before: string, after: string, title: string): Promise<Comparison> {
    const [left, right] = [this.#provide(name, before), this.#provide(name, after)];
    await vscode.commands.executeCommand('vscode.diff', left, right, title, { preview: false });
    const close = async () => {
      await closeComparisons((modified) => modified.toString() === right.toString());
      for (const { path } of [left, right]) this.#texts.delete(path);
    };
    return { modified: right, close };
  }

  /** Closes all comparisons, also those that the editor has restored after a reload. */
  async closeComparisons(): Promise<void> {
    await closeComparisons(({ scheme }) => scheme === SCHEME);
    this.#texts.clear();
  }

  /** Each time under another URI, also after a restart: an editor that still has a document open may show its old text. */
  #provide(name: string, text: string): vscode.Uri {
    const uri = vscode.Uri.from({ scheme: SCHEME, path: `/${randomUUID()}/${name}` });
    this.#texts.set(uri.path, text);
    return uri;
  }

  dispose(): void {
    this.#registration.dispose();
  }
}

async function closeComparisons(isMeant: (modified: vscode.Uri) => boolean): Promise<void> {
  const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
  const isShown = ({ input }: vscode.Tab) => input instanceof vscode.TabInputTextDiff && isMeant(input.modified);
  await vscode.window.tabGroups.close(tabs.filter(isShown));
}

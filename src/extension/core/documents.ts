import * as vscode from 'vscode';

const SCHEME = 'sealed-proxy';

/** Read-only documents that exist only while they are shown. */
export class Documents implements vscode.TextDocumentContentProvider, vscode.Disposable {
  /** By the path of the URI. */
  readonly #texts = new Map<string, string>();
  #shown = 0;
  readonly #registration = vscode.workspace.registerTextDocumentContentProvider(SCHEME, this);

  provideTextDocumentContent({ path }: vscode.Uri): string {
    return this.#texts.get(path) ?? '';
  }

  /** Shows Markdown as a rendered preview, under a file name. Replaces what the last preview showed. */
  async show(name: string, markdown: string): Promise<void> {
    await vscode.commands.executeCommand('markdown.showPreview', this.#provide(name, markdown));
  }

  /** Shows two texts side by side. Returns a function that closes them. */
  async compare(name: string, before: string, after: string, title: string): Promise<() => Promise<void>> {
    const [left, right] = [this.#provide(name, before), this.#provide(name, after)];
    await vscode.commands.executeCommand('vscode.diff', left, right, title, { preview: true });
    return async () => {
      const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
      const isShown = ({ input }: vscode.Tab) =>
        input instanceof vscode.TabInputTextDiff && input.modified.scheme === SCHEME;
      await vscode.window.tabGroups.close(tabs.filter(isShown));
      for (const { path } of [left, right]) this.#texts.delete(path);
    };
  }

  /** Each time under another URI: an editor that still has a document open may show its old text. */
  #provide(name: string, text: string): vscode.Uri {
    const uri = vscode.Uri.from({ scheme: SCHEME, path: `/${++this.#shown}/${name}` });
    this.#texts.set(uri.path, text);
    return uri;
  }

  dispose(): void {
    this.#registration.dispose();
  }
}

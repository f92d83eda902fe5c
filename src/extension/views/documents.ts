import * as vscode from 'vscode';

const SCHEME = 'sealed-proxy';

/** Read-only documents that exist only while they are shown. */
export class Documents implements vscode.TextDocumentContentProvider, vscode.Disposable {
  readonly #texts = new Map<string, string>();
  readonly #changed = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.#changed.event;
  readonly #registration = vscode.workspace.registerTextDocumentContentProvider(SCHEME, this);

  provideTextDocumentContent({ path }: vscode.Uri): string {
    return this.#texts.get(path) ?? '';
  }

  /** Shows Markdown as a rendered preview, under a file name. */
  async show(path: string, markdown: string): Promise<void> {
    await vscode.commands.executeCommand('markdown.showPreview', this.#provide(path, markdown));
  }

  /** Shows two texts side by side. Returns a function that closes them. */
  async compare(name: string, before: string, after: string, title: string): Promise<() => Promise<void>> {
    const [left, right] = [this.#provide(`/before/${name}`, before), this.#provide(`/after/${name}`, after)];
    await vscode.commands.executeCommand('vscode.diff', left, right, title, { preview: true });
    return async () => {
      const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
      const isShown = ({ input }: vscode.Tab) =>
        input instanceof vscode.TabInputTextDiff && input.modified.scheme === SCHEME;
      await vscode.window.tabGroups.close(tabs.filter(isShown));
    };
  }

  #provide(path: string, text: string): vscode.Uri {
    const uri = vscode.Uri.from({ scheme: SCHEME, path });
    this.#texts.set(uri.path, text);
    this.#changed.fire(uri);
    return uri;
  }

  dispose(): void {
    this.#registration.dispose();
    this.#changed.dispose();
  }
}

import * as vscode from 'vscode';

const SCHEME = 'sealed-proxy';

/** Read-only documents that exist only while they are shown. */
export class Documents implements vscode.TextDocumentContentProvider, vscode.Disposable {
  readonly #texts = new Map<string, string>();
  readonly #changed = new vscode.EventEmitter<vscode.Uri>();
  readonly #registration = vscode.workspace.registerTextDocumentContentProvider(SCHEME, this);

  get onDidChange(): vscode.Event<vscode.Uri> {
    return this.#changed.event;
  }

  provideTextDocumentContent({ path }: vscode.Uri): string {
    return this.#texts.get(path) ?? '';
  }

  /** Shows Markdown as a rendered preview, under a file name. */
  async show(path: string, markdown: string): Promise<void> {
    const uri = vscode.Uri.from({ scheme: SCHEME, path });
    this.#texts.set(path, markdown);
    this.#changed.fire(uri);
    await vscode.commands.executeCommand('markdown.showPreview', uri);
  }

  /** Shows two texts side by side. Returns a function that closes them. */
  async compare(name: string, before: string, after: string, title: string): Promise<() => Promise<void>> {
    const uris = [`/before/${name}`, `/after/${name}`].map((path) => vscode.Uri.from({ scheme: SCHEME, path }));
    const [left, right] = uris;
    for (const [index, uri] of uris.entries()) {
      this.#texts.set(uri.path, index === 0 ? before : after);
      this.#changed.fire(uri);
    }
    await vscode.commands.executeCommand('vscode.diff', left, right, title, { preview: true });
    return () => closeTabs(({ input }) => input instanceof vscode.TabInputTextDiff && input.modified.scheme === SCHEME);
  }

  dispose(): void {
    this.#registration.dispose();
    this.#changed.dispose();
  }
}

async function closeTabs(matches: (tab: vscode.Tab) => boolean): Promise<void> {
  await vscode.window.tabGroups.close(vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs).filter(matches));
}

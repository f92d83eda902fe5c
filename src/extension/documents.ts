import * as vscode from 'vscode';

const SCHEME = 'sealed-proxy';

/** Read-only documents that are made when they are shown. */
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

  /** Shows Markdown under a file name, rendered. */
  async show(path: string, markdown: string): Promise<void> {
    const uri = vscode.Uri.from({ scheme: SCHEME, path });
    this.#texts.set(path, markdown);
    this.#changed.fire(uri);
    await vscode.commands.executeCommand('markdown.showPreview', uri);
  }

  dispose(): void {
    this.#registration.dispose();
    this.#changed.dispose();
  }
}

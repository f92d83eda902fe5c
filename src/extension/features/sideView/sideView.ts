// The view in the activity bar. While it is hidden, it reads and polls nothing.
import * as vscode from 'vscode';
import { OfferedModels } from '../../../dashboard/offeredModels.ts';
import { hasFailed } from '../../../dashboard/requestText.ts';
import { MOST_FAILURES, sideRows } from '../../../dashboard/sideView.ts';
import type { SideRow } from '../../../dashboard/sideView.ts';
import type { AccessKey } from '../../../keys/accessKeys.ts';
import { commandId } from '../../../presentation/commands.ts';
import type { RequestRecord } from '../../../shared/activity.ts';
import type { Core } from '../../core/core.ts';

const VIEW = 'sealedProxy.view';
/** How often requests and keys are read, in milliseconds. */
const PERIOD = 3000;

export function registerSideView(core: Core): void {
  const rows = new SideRows(core);
  const view = vscode.window.createTreeView(VIEW, { treeDataProvider: rows });
  const follow = () => {
    rows.follow(view.visible);
  };
  follow();
  core.context.subscriptions.push(
    view,
    rows,
    view.onDidChangeVisibility(follow),
    core.onStatus((status) => {
      rows.models.update(status);
      rows.show();
    }),
    core.onHasApiKey((hasApiKey) => {
      rows.hasApiKey = hasApiKey;
      rows.show();
    }),
    core.secrets.onDidChange(() => {
      rows.refresh();
    }),
  );
}

class SideRows implements vscode.TreeDataProvider<SideRow>, vscode.Disposable {
  /** Without one there are no rows: package.json has what is shown then. */
  hasApiKey = false;
  readonly models = new OfferedModels();
  readonly #core: Core;
  readonly #changed = new vscode.EventEmitter<void>();
  readonly onDidChangeTreeData = this.#changed.event;
  #timer: NodeJS.Timeout | undefined;
  #reading: Promise<void> | undefined;
  #keys: readonly AccessKey[] = [];
  /** The process that the failures are of, and how far they were read. */
  #instance = '';
  #cursor = 0;
  #failures: readonly RequestRecord[] = [];
  /** The rows as they are shown, as text. */
  #shown = '';

  constructor(core: Core) {
    this.#core = core;
  }

  follow(isVisible: boolean): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    if (!isVisible) return;
    this.#timer = setInterval(() => {
      this.refresh();
    }, PERIOD);
    this.refresh();
  }

  /** Reads everything again, if the view is visible. */
  refresh(): void {
    if (this.#timer === undefined) return;
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined;
    });
    this.#core.inBackground(this.#reading);
  }

  /** Shows the rows again, if the view is visible and one has changed. */
  show(): void {
    if (this.#timer === undefined) return;
    const text = JSON.stringify(this.#rows());
    if (text === this.#shown) return;
    this.#shown = text;
    this.#changed.fire();
  }

  getChildren(row?: SideRow): SideRow[] {
    return [...(row?.children ?? this.#rows())];
  }

  getTreeItem({ label, description, tooltip, icon, command, section, children }: SideRow): vscode.TreeItem {
    const item = new vscode.TreeItem(label);
    if (children !== undefined) item.collapsibleState = vscode.TreeItemCollapsibleState.Expanded;
    if (description !== undefined) item.description = description;
    if (tooltip !== undefined) item.tooltip = tooltip;
    if (icon !== undefined) item.iconPath = new vscode.ThemeIcon(icon);
    if (command !== undefined) item.command = { command: commandId(command), title: label, arguments: [section] };
    if (children !== undefined) item.id = label; // a group stays as the user has left it
    return item;
  }

  dispose(): void {
    clearInterval(this.#timer);
    this.#changed.dispose();
  }

  #rows(): readonly SideRow[] {
    return this.hasApiKey ? sideRows(this.#core.supervisor.status, this.#keys, this.models.ids, this.#failures) : [];
  }

  async #read(): Promise<void> {
    this.#keys = await this.#core.secrets.accessKeys();
    await this.#readFailures();
    this.show();
  }

  async #readFailures(): Promise<void> {
    const { supervisor } = this.#core;
    if (supervisor.status.kind !== 'running') {
      [this.#instance, this.#cursor, this.#failures] = ['', 0, []];
      return;
    }
    // The proxy may be restarting, or be of a version that does not report its requests.
    const report = await supervisor.withConnection((proxy) => proxy.activity(this.#cursor)).catch(() => undefined);
    if (report === undefined) return;
    const isOther = report.instance !== this.#instance;
    const isPartial = isOther && this.#cursor !== 0; // the cursor was of another process
    this.#instance = isPartial ? '' : report.instance;
    this.#cursor = isPartial ? 0 : report.cursor;
    const failed = report.finished.filter((record) => hasFailed(record) && !record.isCheck);
    this.#failures = [...failed.toReversed(), ...(isOther ? [] : this.#failures)].slice(0, MOST_FAILURES);
  }
}

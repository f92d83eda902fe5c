// The other end of test/vscode/bridge: runs a function in a window's extension host.
import { existsSync, readFileSync, watch } from 'node:fs';
import { join } from 'node:path';
import type * as vscode from 'vscode';
import { withTimeout } from '../withTimeout.ts';

interface Address {
  readonly port: number;
  readonly token: string;
  readonly pid: number;
}

export class Bridge {
  readonly #address: Address;

  private constructor(address: Address) {
    this.#address = address;
  }

  /** Waits until the window that has this folder open says where it listens. */
  static async of(folder: string, deadline: number): Promise<Bridge> {
    const path = join(folder, 'bridge.json');
    const watcher = watch(folder);
    const written = new Promise<void>((resolve) => {
      const look = () => {
        if (existsSync(path)) resolve();
      };
      watcher.on('change', look);
      look();
    });
    try {
      await withTimeout(`the extension host of ${folder}`, deadline, written);
    } finally {
      watcher.close();
    }
    return new Bridge(JSON.parse(readFileSync(path, 'utf8')) as Address);
  }

  /** The extension host's process. */
  get pid(): number {
    return this.#address.pid;
  }

  /** Runs `sent` there. It sees nothing of this process but `argument`, as JSON; its result comes back as JSON. */
  async run<Argument, Result>(
    sent: (editor: typeof vscode, argument: Argument) => Result | Thenable<Result>,
    argument: Argument,
  ): Promise<Result> {
    const { port, token } = this.#address;
    const response = await fetch(`http://127.0.0.1:${port}`, {
      method: 'POST',
      headers: { 'x-token': token },
      body: JSON.stringify({ source: sent.toString(), argument }),
    });
    const { value, error } = (await response.json()) as { value: Result; error?: string };
    if (error !== undefined) throw new Error(error);
    return value;
  }

  /** A command of the editor, with its result. */
  command<Result>(id: string, ...args: readonly unknown[]): Promise<Result> {
    return this.run((editor, [name, ...rest]) => editor.commands.executeCommand<Result>(name, ...rest), [
      id,
      ...args,
    ] as const);
  }

  /** Writes a setting of Sealed Proxy's; undefined goes back to the default. Resolves when it is written. */
  async set(name: string, value: unknown): Promise<void> {
    await this.run(
      (editor, [key, next]) =>
        editor.workspace
          .getConfiguration('sealedProxy')
          .update(key, next ?? undefined, editor.ConfigurationTarget.Global),
      [name, value ?? null] as const,
    );
  }
}

// The client of test/vscode/bridge: runs functions in a window's extension host.
import { existsSync, readFileSync, watch } from 'node:fs';
import { join } from 'node:path';
import type * as vscode from 'vscode';
import { DEADLINE, withTimeout } from '../withTimeout.ts';

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

  /** Waits for the address of the window in which this folder is open. */
  static async of(folder: string): Promise<Bridge> {
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
      await withTimeout(`the extension host of ${folder}`, DEADLINE, written);
    } finally {
      watcher.close();
    }
    return new Bridge(JSON.parse(readFileSync(path, 'utf8')) as Address);
  }

  /** The process ID of the extension host. */
  get pid(): number {
    return this.#address.pid;
  }

  /** Runs `sent` in the extension host. It can use only its parameters; argument and result are passed as JSON. */
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

  /** Runs a command of the editor. Returns its result. */
  command<Result>(id: string, ...args: readonly unknown[]): Promise<Result> {
    return this.run((editor, [name, ...rest]) => editor.commands.executeCommand<Result>(name, ...rest), [
      id,
      ...args,
    ] as const);
  }

  /** Writes a setting of Sealed Proxy; undefined restores the default. Resolves when it is written. */
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

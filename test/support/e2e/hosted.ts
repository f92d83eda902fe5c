import { parseFromProxy } from '../../../src/shared/messages.ts';
import type { FromProxy, ToProxy } from '../../../src/shared/messages.ts';
import { EventQueue } from './eventQueue.ts';
import { RunningProcess } from './process.ts';

type Message<Type extends FromProxy['type']> = Extract<FromProxy, { type: Type }>;

/** A proxy process that is hosted over an IPC channel. */
export class HostedProxy extends RunningProcess {
  readonly messages = new EventQueue<FromProxy>();

  constructor(...args: ConstructorParameters<typeof RunningProcess>) {
    super(...args);
    this.child.on('message', (value) => {
      const message = parseFromProxy(value);
      if (message === undefined) throw new Error(`Not a message of the proxy: ${JSON.stringify(value)}`);
      this.messages.add(message);
    });
  }

  send(message: ToProxy): void {
    this.child.send(message);
  }

  /** Resolves with the first message of this type, from message number `start` on. */
  async message<Type extends FromProxy['type']>(type: Type, start = 0): Promise<Message<Type>> {
    const message = await this.messages.find(`the message ${type}`, (candidate) => candidate.type === type, start);
    return message as Message<Type>;
  }
}

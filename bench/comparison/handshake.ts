import { bestPrimitives } from '../../src/proxy/backend/connection.ts';
import { UndiciTransport } from '../../src/proxy/backend/undiciTransport.ts';
import { readConfig } from '../../src/proxy/hosts/config.ts';
import { systemClock } from '../../src/proxy/process/clock.ts';
import { performHandshake } from '../../src/session/handshake.ts';
import { median } from './figures.ts';

const HANDSHAKES = 50;

/** The median time of one handshake with the development enclave, in milliseconds. */
export async function handshakeTimes(enclave: string): Promise<number> {
  const { backend } = readConfig({ PROXY_BACKEND_URL: enclave });
  const transport = new UndiciTransport(backend);
  const times: number[] = [];
  for (let round = 0; round < HANDSHAKES; round++) {
    const begin = performance.now();
    const session = await performHandshake({
      transport,
      primitives: bestPrimitives(),
      trust: { kind: 'development' },
      clock: systemClock,
      timeout: () => 10_000,
    });
    times.push(performance.now() - begin);
    session.destroy();
  }
  await transport.close();
  return median(times);
}

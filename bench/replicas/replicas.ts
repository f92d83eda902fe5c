// npm run bench -- --replicas SECONDS: two and four replicas in front of one enclave, behind each balancer that is installed. Measures
// the throughput, and counts what is lost when a replica is killed, when all are replaced, and when keys are rotated.
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startChild, waitForLine } from '../processes/target.ts';
import { Clients } from './clients.ts';
import type { Failure } from './clients.ts';
import { BALANCER_NAMES, Balancer, Replica, SecretFolder, freePorts, newAccessKey, statusOf, until } from './fleet.ts';

const SIZES = [2, 4];
/** For the other measurements: few enough for a computer that also runs the clients and the enclave. */
const REQUESTS = 8;
const STREAMS = 16;
/** How long after the end of a process a balancer may still send a request on a connection to it, in milliseconds. */
const KILL_TOLERANCE = 20;

interface Setup {
  readonly name: string;
  /** Where the clients send requests to. */
  readonly urls: readonly string[];
  readonly replicas: readonly Replica[];
  readonly secrets: SecretFolder;
  /** The access key that is valid. */
  key: string;
}

/** Prints what it has found. Returns false if anything is lost that must not be. */
export async function measureReplicas({ seconds }: { readonly seconds: number }): Promise<boolean> {
  const program = fileURLToPath(new URL('../../dist/dev-enclave.js', import.meta.url));
  const enclave =
    (await waitForLine(startChild(process.execPath, [program], process.env), /listening on/)).split(' ').at(-1) ?? '';
  const results: boolean[] = [];
  for (const size of [1, ...SIZES]) {
    const key = newAccessKey();
    const secrets = await SecretFolder.create('dev-first', [`clients=${key}`]);
    const replicas = (await freePorts(size)).map((port) => new Replica(port, enclave, secrets));
    await Promise.all(replicas.map((replica) => replica.start()));
    const setup: Setup = { name: `${size} direct`, urls: replicas.map(({ url }) => url), replicas, secrets, key };
    await measureThroughput(setup, seconds);
    for (const name of size === 1 ? [] : BALANCER_NAMES) {
      const balancer = await Balancer.start(name, replicas, secrets.path);
      if (balancer === undefined) {
        console.log(`${name} is not installed.`);
        continue;
      }
      const behind: Setup = { ...setup, name: `${size} behind ${name}`, urls: [balancer.url] };
      await measureThroughput(behind, seconds);
      results.push(await rotateKeys(behind, 'file'), await rotateKeys(behind, 'SIGHUP'));
      setup.key = behind.key;
      results.push(await replaceAll(behind, balancer.returns), await killOne(behind, balancer.returns));
      await balancer.stop();
    }
    await Promise.all(replicas.map((replica) => replica.stop('SIGKILL')));
  }
  const isReached = results.every(Boolean);
  console.log(isReached ? 'reached  nothing was lost' : 'MISSED   something was lost');
  return isReached;
}

async function measureThroughput({ name, urls, key }: Setup, seconds: number): Promise<void> {
  const clients = new Clients(urls, key);
  clients.start(32, 0);
  await setTimeout(500);
  const [before, begin] = [clients.requests.completed, performance.now()];
  await setTimeout(seconds * 1000);
  const rate = ((clients.requests.completed - before) / (performance.now() - begin)) * 1000;
  await clients.finish();
  report(name, 'throughput', `${rate.toFixed(0)} requests/s`, clients.failures);
}

/** Replaces the access key and the API key while requests run: first both access keys are valid, then only the new one. */
async function rotateKeys(setup: Setup, how: 'file' | 'SIGHUP'): Promise<boolean> {
  const { name, urls, replicas, secrets, key: old } = setup;
  const key = newAccessKey();
  const clients = new Clients(urls, old);
  clients.start(REQUESTS, STREAMS);
  const change = async (keys: readonly string[], probe: string, status: number): Promise<number> => {
    await secrets.write('access-keys', keys.map((one) => `clients=${one}`).join('\n'));
    if (how === 'SIGHUP') for (const replica of replicas) replica.signal('SIGHUP');
    const begin = performance.now();
    await until(`all replicas answer the key with ${status}`, async () => {
      const all = await Promise.all(replicas.map(({ url }) => statusOf(`${url}/v1/models`, probe)));
      return all.every((one) => one === status);
    });
    return performance.now() - begin;
  };
  await secrets.write('api-key', `dev-${how}`);
  const added = await change([old, key], key, 200);
  clients.use(key);
  await setTimeout(2500); // the streams with the old key, and those that begin with the new one
  const removed = await change([key], old, 401);
  await setTimeout(500);
  await clients.finish();
  setup.key = key;
  const times = `valid after ${added.toFixed(0)} ms, refused after ${removed.toFixed(0)} ms`;
  report(name, `rotation by ${how}`, `${completed(clients)}; ${times}`, clients.failures);
  return clients.failures.length === 0;
}

/** Replaces one replica after the other while requests and streams run. */
async function replaceAll({ name, urls, replicas, key }: Setup, returns: number): Promise<boolean> {
  const clients = new Clients(urls, key);
  clients.start(REQUESTS, STREAMS);
  await setTimeout(500);
  for (const replica of replicas) {
    await replica.stop('SIGTERM');
    await replica.start();
    await setTimeout(returns);
  }
  await clients.finish();
  report(name, 'rolling restart', completed(clients), clients.failures);
  return clients.failures.length === 0;
}

/** Kills one replica: only requests that it was serving may fail. */
async function killOne({ name, urls, replicas, key }: Setup, returns: number): Promise<boolean> {
  const [replica] = replicas;
  if (replica === undefined) return false;
  const clients = new Clients(urls, key);
  clients.start(REQUESTS, STREAMS);
  await setTimeout(1000);
  await replica.stop('SIGKILL');
  const killed = performance.now();
  await setTimeout(3000);
  await clients.finish();
  const later = clients.failures.filter(({ began }) => began > killed + KILL_TOLERANCE);
  const inFlight = clients.failures.length - later.length;
  report(
    name,
    'a replica killed',
    `${completed(clients)}; ${inFlight} of ${REQUESTS + STREAMS} in flight failed`,
    later,
  );
  await replica.start();
  await setTimeout(returns);
  return later.length === 0 && inFlight < REQUESTS + STREAMS;
}

function completed({ requests, streams }: Clients): string {
  return `${requests.completed} requests and ${streams.completed} streams complete`;
}

function report(name: string, what: string, result: string, lost: readonly Failure[]): void {
  const reasons = Object.entries(Object.groupBy(lost, ({ reason }) => reason));
  const list = reasons.map(([reason, failures = []]) => `${failures.length} ${reason}`).join(', ');
  console.log(`${name.padEnd(18)} ${what.padEnd(18)} ${result}${list === '' ? '; none lost' : `; LOST: ${list}`}`);
}

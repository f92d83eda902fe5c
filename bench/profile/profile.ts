// npm run bench -- --profile NAME: where the sealed proxy spends its time under one load.
import { mkdtemp, readFile, readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CHAT } from '../client.ts';
import type { Measured } from '../client.ts';
import type { Figures } from '../comparison/figures.ts';
import { measureRequests, measureStream, measureUpload } from '../comparison/measure.ts';
import type { LoadName } from '../options.ts';
import { startSealed } from '../processes/sealed.ts';
import { startUpstream } from '../processes/upstreamProcess.ts';
import { selfTimes } from './cpuProfile.ts';
import type { CpuProfile, SelfTime } from './cpuProfile.ts';

const SECONDS = 10;
const LONGEST = 25;

const LOADS: Readonly<Record<LoadName, (target: Measured) => Promise<Figures>>> = {
  requests: measureRequests,
  paced: (target) => measureStream(target, 16, 'paced'),
  burst: (target) => measureStream(target, 16, 'burst'),
  upload: measureUpload,
};

interface ProfileOptions {
  readonly load: LoadName;
  /** The path of the Node that runs the proxy. */
  readonly node: string;
}

export async function profile({ load, node }: ProfileOptions): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'sealed-proxy-profile-'));
  const upstream = await startUpstream();
  // Without the probe, which would be in the profile; so the measurements only make the load.
  const flags = ['--cpu-prof', `--cpu-prof-dir=${folder}`];
  const proxy = await startSealed(upstream.enclave, { node, flags, probed: false });
  const target: Measured = { url: proxy.url, api: CHAT, process: undefined };
  const begin = performance.now();
  while (performance.now() - begin < SECONDS * 1000) await LOADS[load](target);
  await proxy.stop('SIGTERM'); // it writes the profile when it ends
  await upstream.stop();

  const sources = new URL('../../dist/proxy.js.map', import.meta.url);
  const file = await largestOf(folder);
  const all = selfTimes(await readJson(file), await readJson(sources));
  print(load, all);
  console.log(`\nThe profile, for the developer tools of a browser: ${file}`);
}

/** Each thread writes a profile; the main thread has most to do. */
async function largestOf(folder: string): Promise<string> {
  const files = (await readdir(folder)).map((name) => join(folder, name));
  const lengths = await Promise.all(files.map(async (file) => (await readFile(file)).length));
  return files[lengths.indexOf(Math.max(...lengths))] ?? '';
}

async function readJson<T extends CpuProfile | object>(file: string | URL): Promise<T> {
  return JSON.parse(await readFile(file, 'utf8')) as T;
}

function print(load: LoadName, all: readonly SelfTime[]): void {
  const timeOf = (name: string) => all.find((entry) => entry.name === name)?.ms ?? 0;
  const sum = all.reduce((total, { ms }) => total + ms, 0);
  const busy = sum - timeOf('(idle)');
  const share = (ms: number, of: number) => `${((ms / of) * 100).toFixed(1)} %`;
  console.log(`${load}: ${(sum / 1000).toFixed(1)} s, idle for ${share(timeOf('(idle)'), sum)}`);
  console.log(`garbage collection: ${share(timeOf('(garbage collector)'), busy)} of the busy time\n`);
  console.log(`${'self ms'.padStart(9)}${'of busy'.padStart(10)}  function`);
  const functions = all.filter(({ name }) => name !== '(idle)' && name !== '(garbage collector)');
  for (const { name, ms } of functions.slice(0, LONGEST)) {
    console.log(`${ms.toFixed(1).padStart(9)}${share(ms, busy).padStart(10)}  ${name}`);
  }
}

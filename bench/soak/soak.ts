// npm run soak: three proxies in front of one enclave, with clients of every route and dialect, and in minutes what happens
// in months. Each client knows what became of each of its requests, and checks each byte.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { Clients } from './clients.ts';
import type { Ended } from './clients.ts';
import { Disturbances } from './disturbances.ts';
import { startFleet } from './fleet.ts';
import { judgeSoak, writeReport } from './report.ts';
import type { Sample, SoakRun } from './report.ts';
import { roundsOf } from './rounds.ts';

/** In milliseconds: before the load, between two disturbances, and after the load, until idle connections have ended. */
const BEFORE = 10_000;
const BETWEEN = 3000;
const AFTER = 100_000;

export interface SoakOptions {
  readonly minutes: number;
  /** For the report. */
  readonly folder: string;
}

/** Returns whether nothing was lost that must not be, and nothing has grown. */
export async function soak({ minutes, folder }: SoakOptions): Promise<boolean> {
  mkdirSync(folder, { recursive: true });
  const samples = join(folder, 'samples');
  writeFileSync(samples, '');
  const fleet = await startFleet(folder);
  const requests: Ended[] = [];
  const clientsOf = (name: string, url: string, key: string) =>
    new Clients(name, url, key, (ended) => {
      requests.push(ended);
    });
  const steady = clientsOf('steady', fleet.steady.replica.url, fleet.steady.key);
  const clients = [
    steady,
    clientsOf('killed', fleet.killed.replica.url, fleet.killed.key),
    clientsOf('windows', fleet.windowsUrl, fleet.windowsKey),
  ];
  await steady.learn();
  await setTimeout(BEFORE);

  const disturbances = new Disturbances();
  const rounds = roundsOf(fleet, steady, disturbances);
  const [begin, beginTime] = [performance.now(), Date.now()];
  for (const each of clients) each.start();
  for (let round = 0; performance.now() - begin < minutes * 60_000; round++) {
    await setTimeout(BETWEEN);
    await rounds[round % rounds.length]?.();
  }
  await Promise.all(clients.map((each) => each.finish()));
  const endTime = Date.now();
  await setTimeout(AFTER);
  const run: SoakRun = {
    begin,
    beginTime,
    endTime,
    requests,
    disturbances,
    handshakes: fleet.enclave.handshakes,
    steadyPid: fleet.steady.replica.pid,
    samples: readFileSync(samples, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Sample),
  };
  const findings = judgeSoak(run);
  writeReport(folder, run, findings);
  await fleet.close();
  for (const { text, isReached } of findings) console.log(`${isReached ? 'reached' : 'MISSED '}  ${text}`);
  console.log(`\nThe report: ${join(folder, 'report.md')}`);
  return findings.every(({ isReached }) => isReached);
}

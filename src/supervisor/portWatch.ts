// Notices that another window's proxy, or another program, comes to the port or leaves it.
import { Agent } from 'node:http';
import type { Socket } from 'node:net';
import type { Phase } from './phase.ts';
import { confirmFree, probePort } from './portProbe.ts';
import type { Probe, ReadSecrets } from './portProbe.ts';

// In milliseconds.
/** Before a window takes over a port: a window that has asked for the port comes first. */
const TAKE_OVER_DELAY = 300;
/** The longest random delay on top, so that not all windows try at the same time. */
const RANDOM_DELAY = 600;
/** Between two looks for the proxy of the window for which this one has released its port. */
const SUCCESSOR_INTERVAL = 200;
/** How long that proxy may take to listen. */
const SUCCESSOR_LIMIT = 10_000;
/** Between two probes of a port that this window cannot use. */
const WATCH_INTERVAL = 15_000;
/** The longest interval between two starts on a port that seems free, and is not. */
const MAX_WATCH_INTERVAL = 5 * 60_000;

/** Milliseconds before a window takes over a port that is free. */
export function takeOverDelay(): number {
  return TAKE_OVER_DELAY + Math.random() * RANDOM_DELAY;
}

/** An agent with one connection to an own proxy. Calls `onGone` when the idle connection closes: the proxy is gone. */
export function watchOwner(phase: Phase, onGone: () => unknown): Agent {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  let watched: Socket | undefined;
  agent.on('free', (socket: Socket) => {
    if (phase.isOver) socket.destroy(); // a probe was still running
    if (watched === socket) return;
    watched = socket;
    socket.once('close', () => {
      if (!phase.isOver) onGone();
    });
  });
  void phase.left.then(() => {
    agent.destroy();
  });
  return agent;
}

/**
 * For a window that has released its port for another one: calls `onEnd` when an own proxy is on it, or after ten seconds,
 * because the other window cannot start one.
 */
export function awaitSuccessor(phase: Phase, port: number, readSecrets: ReadSecrets, onEnd: () => unknown): void {
  const limit = Date.now() + SUCCESSOR_LIMIT;
  const poll = async () => {
    const found = await probePort(port, readSecrets).catch(() => undefined);
    if (phase.isOver) return;
    if (found?.kind === 'own' || Date.now() >= limit) onEnd();
    else phase.after(SUCCESSOR_INTERVAL, () => void poll());
  };
  phase.after(SUCCESSOR_INTERVAL, () => void poll());
}

/**
 * Calls `onChange` when what is on the port has changed. Probes the port every 15 seconds, and at once when an
 * own proxy goes away.
 * @param port 0 is never watched
 * @param known the latest probe; undefined: only the arrival of an own proxy is a change
 * @param failures how often in a row a start found the port free and could not use it: with each, the interval doubles
 */
export function watchPort(
  phase: Phase,
  port: number,
  known: Probe | undefined,
  readSecrets: ReadSecrets,
  onChange: () => unknown,
  failures = 0,
): void {
  const interval = watchInterval(failures);
  const poll = async (agent?: Agent) => {
    const found = await probeOnce(port, known, readSecrets, agent).catch(() => known);
    if (isChange(known, found) && !phase.isOver) onChange();
    else phase.after(interval, () => void poll());
  };
  if (port === 0) return;
  if (known?.kind === 'own') void poll(watchOwner(phase, () => void poll()));
  else phase.after(interval, () => void poll());
}

/** Milliseconds between two probes of a port, after `failures` starts in a row that found it free and could not use it. */
export function watchInterval(failures: number): number {
  return Math.min(WATCH_INTERVAL * 2 ** Math.max(0, failures - 1), MAX_WATCH_INTERVAL);
}

async function probeOnce(
  port: number,
  known: Probe | undefined,
  readSecrets: ReadSecrets,
  agent?: Agent,
): Promise<Probe> {
  const found = await probePort(port, readSecrets, agent);
  return found.kind === 'free' && known?.kind === 'held' ? confirmFree(port, readSecrets, 1) : found;
}

function isChange(known: Probe | undefined, found: Probe | undefined): boolean {
  if (known === undefined || found === undefined) return found?.kind === 'own';
  return identify(known) !== identify(found);
}

/** Equal for programs that a window treats alike. One that does not respond may respond next time. */
function identify(found: Probe): string {
  if (found.kind !== 'own') return found.kind === 'unresponsive' ? 'foreign' : found.kind;
  const { version, protocol, trustFingerprint: trust } = found.report;
  return [version, protocol, trust].join(' ');
}

// Notices that the network may be back, without any event of the system: Node has none.
import { networkInterfaces } from 'node:os';

/** In milliseconds. */
const INTERVAL = 5000;
/** The computer has slept if the timer is late by more than this, in milliseconds. */
const SLEEP_TOLERANCE = 10_000;

/**
 * Calls `onChange` when this computer has another address than before, or wakes up.
 * @returns a function that ends it
 */
export function watchNetwork(onChange: () => void, readAddresses = ownAddresses): () => void {
  // Some systems forbid to list the addresses, such as Android. Then only sleep is noticed.
  const read = () => {
    try {
      return readAddresses();
    } catch {
      return '';
    }
  };
  let addresses = read();
  let polledAt = Date.now();
  const timer = setInterval(() => {
    const now = Date.now();
    const current = read();
    const hasSlept = now - polledAt > INTERVAL + SLEEP_TOLERANCE;
    const hasChanged = current !== addresses;
    addresses = current;
    polledAt = now;
    if (hasSlept || hasChanged) onChange();
  }, INTERVAL);
  return () => {
    clearInterval(timer);
  };
}

/** The addresses by which this computer reaches others, as a text to compare. */
function ownAddresses(): string {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  return all
    .filter(({ internal }) => !internal)
    .map(({ address }) => address)
    .toSorted()
    .join();
}

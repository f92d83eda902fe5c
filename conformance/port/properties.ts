// What the model is checked for, and the errors that are planted in it.

export interface Property {
  readonly name: string;
  /** For the preprocessor: see port.pml. */
  readonly defines: readonly string[];
  /** True: no cycle in which time does not pass. Otherwise: assertions, and no state without a next one. */
  readonly cycles?: true;
}

interface PlantedError {
  readonly name: string;
  readonly define: string;
  /** The property that finds it. */
  readonly by: string;
}

const EVENTS = ['MAY_CRASH', 'MAY_CLOSE', 'MAY_FOREIGN', 'MAY_STOP', 'MAY_RESTART'];

export const PROPERTIES: readonly Property[] = [
  { name: 'one-owner', defines: ['BUDGET=2', ...EVENTS] },
  { name: 'key', defines: ['CHECKS', 'BUDGET=2', 'MAY_CLOSE', 'MAY_FOREIGN'] },
  { name: 'key-change', defines: ['BUDGET=1', 'MAY_KEYS'] },
  { name: 'gap', defines: ['TIMED', 'BUDGET=2', 'MAY_CRASH', 'MAY_CLOSE', 'GAP_LIMIT=18'] },
  { name: 'gap-any-event', defines: ['TIMED', 'BUDGET=1', ...EVENTS, 'MAY_KEYS', 'GAP_LIMIT=18'] },
  { name: 'gap-hang', defines: ['TIMED', 'BUDGET=1', 'MAY_HANG', 'GAP_LIMIT=55'] },
  { name: 'settled', defines: ['TIMED', 'QUICK', 'BUDGET=1', ...EVENTS, 'SETTLE_LIMIT=32'] },
  { name: 'turns', defines: ['TIMED', 'QUICK', 'NEWER=2', 'BUDGET=0', 'ASK_LIMIT=2'] },
  {
    name: 'turns-crashes',
    defines: ['TIMED', 'QUICK', 'BUDGET=4', 'MAY_CRASH', 'ONLY_NEWER_CRASHES', 'ASK_LIMIT=3'],
  },
  { name: 'time-passes', defines: ['TIMED', 'CYCLES', 'BUDGET=1', 'MAY_CRASH', 'MAY_CLOSE'], cycles: true },
];

export const ERRORS: readonly PlantedError[] = [
  { name: 'two processes may listen on the port', define: 'ERR_REUSE_PORT', by: 'one-owner' },
  { name: 'key sent on a new connection', define: 'ERR_NEW_CONNECTION', by: 'key' },
  { name: 'proof without the port', define: 'ERR_PROOF_WITHOUT_PORT', by: 'key' },
  { name: 'proof without the nonce', define: 'ERR_PROOF_WITHOUT_NONCE', by: 'key' },
  { name: 'secret kept after the release', define: 'ERR_STALE_SECRET', by: 'key' },
  { name: 'new keys bring the secret back', define: 'ERR_REVIVED_SECRET', by: 'key-change' },
  { name: 'no wait for the successor', define: 'ERR_NO_SUCCESSOR', by: 'turns' },
  { name: 'another version, not only an older one, is asked', define: 'ERR_TURNS', by: 'one-owner' },
  { name: 'asks again after its own process crashed', define: 'ERR_AGAIN', by: 'turns-crashes' },
  { name: 'asks for a port that it does not use', define: 'ERR_ASK_IN_VAIN', by: 'one-owner' },
  { name: 'takes an ending proxy for another program', define: 'ERR_NO_RETRY', by: 'one-owner' },
];

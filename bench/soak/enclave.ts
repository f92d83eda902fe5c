// The enclave of the soak, as a process that can be killed: node enclave.ts PORT. Its parent sends it faults, and
// receives the number of handshakes.
import { createModel } from '../../src/devEnclave/model/model.ts';
import { startEnclave } from '../../src/devEnclave/server.ts';

/** Faults by their names, or the end of all sessions. */
export type EnclaveOrder = { readonly faults: string } | 'dropSessions';

/** The pause between two chunks of a stream, in milliseconds. */
const PACE = 20;

const enclave = await startEnclave({
  port: Number(process.argv[2]),
  handler: createModel({ paceMs: PACE }),
  journal: false,
});
process.on('message', (order: EnclaveOrder) => {
  if (order === 'dropSessions') enclave.dropSessions();
  else enclave.setFaults(order.faults);
});
const ignore = () => undefined; // the parent may have ended
setInterval(() => process.send?.(enclave.journal.handshakes, undefined, undefined, ignore), 1000);
process.on('disconnect', () => process.exit());
console.log(`enclave listening on ${enclave.url}`);

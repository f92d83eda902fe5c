import { fileURLToPath } from 'node:url';
import { NodeTarget } from './target.ts';

/** The running backend. */
export interface Upstream {
  /** The URL of its entrance for plain HTTP. */
  readonly plain: string;
  /** The URL of the development enclave. */
  readonly enclave: string;
  readonly stop: () => Promise<void>;
}

/** Starts upstream.ts in a process of its own. */
export async function startUpstream(): Promise<Upstream> {
  const process = await NodeTarget.start(fileURLToPath(new URL('upstream.ts', import.meta.url)));
  const [plain = '', enclave = ''] = process.line.match(/http:\S+/g) ?? [];
  return { plain, enclave, stop: () => process.stop() };
}

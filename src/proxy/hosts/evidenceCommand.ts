// `sealed-proxy evidence [FILE]`: makes one handshake with the backend, and writes its evidence.
import { asSessionError } from '../../session/errors.ts';
import type { SessionError } from '../../session/errors.ts';
import { readEnvironment } from '../../settings/environment.ts';
import type { Values } from '../../settings/environment.ts';
import { ConfigError } from '../../settings/proxyConfig.ts';
import type { ProxyConfig } from '../../settings/proxyConfig.ts';
import type { Evidence } from '../../shared/evidence.ts';
import { openConnection } from '../backend/connection.ts';
import type { ConnectionOptions } from '../backend/connection.ts';
import { describeHandshakeFailure } from '../backend/describeError.ts';
import { Network } from '../backend/network.ts';
import { systemClock } from '../process/clock.ts';
import { Log } from '../process/log.ts';
import { FileError, createFile } from './commandLineFiles.ts';
import { EXIT, complain } from './exit.ts';
import { HANDSHAKE_LIMIT } from './service.ts';

/** For tests only: no setting can change these. */
type Internals = Partial<Pick<ConnectionOptions, 'anchors' | 'network'>>;

/**
 * Needs no API key, because nothing is sent after the handshake. Evidence of a refused enclave is written too.
 * @param args the arguments after `evidence`
 * @returns the exit code: 0 only if every check passed
 */
export async function saveEvidence(
  args: readonly string[],
  environment: Values,
  internals: Internals = {},
): Promise<number> {
  const [path, ...others] = args;
  if (others.length > 0 || path?.startsWith('-') === true) {
    return complain(EXIT.invalid, 'evidence takes one argument at most, the file to write; see --help');
  }
  try {
    const config = readEnvironment(environment);
    if (!config.backend.verified) {
      const cause = 'PROXY_BACKEND_URL is a development backend on this computer, which is not attested';
      return complain(EXIT.invalid, `${cause}: set it to the https URL of an enclave`);
    }
    const file = path === undefined ? undefined : await createFile(path);
    const { evidence, failure } = await attest(config, internals);
    const cause =
      failure === undefined
        ? 'the session has ended'
        : describeHandshakeFailure(failure, config.backend.basePath).message;
    if (evidence === null) {
      await file?.discard();
      return complain(EXIT.failed, `there is no evidence, because no session was made: ${cause}`);
    }
    const text = `${JSON.stringify(evidence, null, 2)}\n`;
    if (file === undefined) process.stdout.write(text);
    else await file.write(text);
    if (failure !== undefined) {
      const sentence = `the enclave was refused, and the evidence shows the check that failed: ${cause}`;
      return complain(EXIT.failed, sentence);
    }
    if (path !== undefined) process.stdout.write(`Every check passed. The evidence is in ${path}\n`);
    return EXIT.ok;
  } catch (error) {
    if (error instanceof ConfigError || error instanceof FileError) return complain(EXIT.invalid, error.message);
    throw error;
  }
}

interface Attested {
  readonly evidence: Evidence | null;
  readonly failure: SessionError | undefined;
}

/** @throws ConfigError for an HTTP proxy with an unusable address */
async function attest(settings: ProxyConfig, internals: Internals): Promise<Attested> {
  const connection = openConnection({
    settings,
    clock: systemClock,
    log: new Log('error', () => undefined), // the failure is returned
    handshakeTimeout: () => Math.min(settings.requestTimeout, HANDSHAKE_LIMIT),
    network: new Network(),
    onEvent: () => undefined,
    ...internals,
  });
  try {
    const failure = await connection.sessions.acquire().then(() => undefined, asSessionError);
    return { evidence: connection.evidence(), failure };
  } finally {
    await connection.close();
  }
}

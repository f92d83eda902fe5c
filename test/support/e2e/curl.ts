import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { DEADLINE, withTimeout } from '../withTimeout.ts';
import { environment } from './process.ts';

export interface CurlResult {
  /** Of curl: 0 success, 18 a body that ended early, 52 no response, 56 a reset. */
  readonly exitCode: number;
  readonly status: number;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, readonly string[] | undefined>>;
  readonly body: Buffer;
  readonly bytesUploaded: number;
  readonly bytesDownloaded: number;
  json(): unknown;
}

const REPORT = '%{stderr}{"status":%{http_code},"up":%{size_upload},"down":%{size_download},"headers":%{header_json}}';

/** Runs curl and reads the response. */
export async function curl(...args: readonly string[]): Promise<CurlResult> {
  const child = spawn('curl', ['--silent', '--write-out', REPORT, ...args], {
    env: environment(),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [out, err]: [Buffer[], Buffer[]] = [[], []];
  child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => err.push(chunk));
  const [exitCode] = (await withTimeout('curl', DEADLINE, once(child, 'close'))) as [number];
  const report = JSON.parse(Buffer.concat(err).toString()) as {
    status: number;
    up: number;
    down: number;
    headers: CurlResult['headers'];
  };
  const body = Buffer.concat(out);
  return {
    exitCode,
    status: report.status,
    headers: report.headers,
    body,
    bytesUploaded: report.up,
    bytesDownloaded: report.down,
    json: () => JSON.parse(body.toString()) as unknown,
  };
}

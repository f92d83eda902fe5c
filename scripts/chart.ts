// The Kubernetes manifests that are the same as the Helm chart with its defaults.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The path of the manifests. */
export const MANIFESTS = 'deploy/kubernetes/sealed-proxy.yaml';
const CHART = fileURLToPath(new URL('../deploy/helm/sealed-proxy', import.meta.url));

/** The manifests begin with this, so that a change of the chart alone is found without Helm. */
export function manifestHead(): string {
  const files = readdirSync(CHART, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const hash = createHash('sha256');
  for (const path of files.map(({ parentPath, name }) => join(parentPath, name)).toSorted()) {
    hash.update(readFileSync(path, 'utf8').replaceAll('\r\n', '\n'));
  }
  return `# Generated from deploy/helm/sealed-proxy by "npm run generate", for the namespace sealed-proxy: docs/kubernetes.md
# SHA-256 of the chart: ${hash.digest('hex')}
`;
}

/**
 * The manifests, with their head.
 * @returns undefined if Helm is not installed
 */
export function renderChart(): string | undefined {
  const args = ['template', 'sealed-proxy', CHART, '--namespace', 'sealed-proxy', '--kube-version', '1.31.0'];
  const { status, stdout, stderr, error } = spawnSync('helm', args, { encoding: 'utf8' });
  if (error !== undefined) return undefined;
  if (status !== 0) throw new Error(stderr);
  return manifestHead() + stdout;
}

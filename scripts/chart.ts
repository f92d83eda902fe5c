// The Kubernetes manifests that are the same as the Helm chart with its defaults.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** The path of the manifests. */
export const MANIFESTS = 'deploy/kubernetes/sealed-proxy.yaml';
const CHART = fileURLToPath(new URL('../deploy/helm/sealed-proxy', import.meta.url));
const HEAD = `# Generated from deploy/helm/sealed-proxy by "npm run generate", for the namespace sealed-proxy: docs/kubernetes.md
`;

/**
 * @param options further ones of `helm template`
 * @returns undefined if Helm is not installed
 */
export function renderChart(options: readonly string[] = []): string | undefined {
  const args = [
    'template',
    'sealed-proxy',
    CHART,
    '--namespace',
    'sealed-proxy',
    '--kube-version',
    '1.31.0',
    ...options,
  ];
  const { status, stdout, stderr, error } = spawnSync('helm', args, { encoding: 'utf8' });
  if (error !== undefined) return undefined;
  if (status !== 0) throw new Error(stderr);
  return HEAD + stdout;
}

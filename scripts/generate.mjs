// Writes the parts of package.json and docs/ that are derived from the sources, and the manifests for Kubernetes.
import { readFileSync, writeFileSync } from 'node:fs';
import { MANIFESTS, renderChart } from './chart.ts';
import { generatedFiles } from './generatedFiles.ts';

const read = (path) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');

const manifests = renderChart();
if (manifests === undefined) console.log('Helm is not installed: deploy/kubernetes is not updated.');

for (const [path, text] of [...generatedFiles(read), [MANIFESTS, manifests ?? read(MANIFESTS)]]) {
  if (text === read(path)) continue;
  writeFileSync(new URL(`../${path}`, import.meta.url), text);
  console.log(`${path} updated`);
}

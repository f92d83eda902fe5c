// The Helm chart, the manifests that are made with it, and the recipes for balancers: what they name exists, and agrees.
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { parse, parseAllDocuments } from 'yaml';
import { MANIFESTS, manifestHead, renderChart } from '../../scripts/chart.ts';
import { MAX_CONNECTIONS } from '../../src/proxy/server/connections.ts';
import { VARIABLES, readEnvironment } from '../../src/settings/environment.ts';
import { LIVE_SETTINGS, SECRETS } from '../../src/settings/schema.ts';
import { fromRoot } from '../support/e2e/process.ts';

const read = (path: string) => readFileSync(fromRoot(path), 'utf8');
const CHART = 'deploy/helm/sealed-proxy';

interface Port {
  readonly name: string;
  readonly containerPort?: number;
  readonly port?: number;
  readonly targetPort?: string;
}

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string };
  readonly periodSeconds: number;
  readonly failureThreshold: number;
}

interface Container {
  readonly image: string;
  readonly env?: unknown;
  readonly envFrom: readonly unknown[];
  readonly ports: readonly Port[];
  readonly startupProbe: Probe;
  readonly livenessProbe: Probe;
  readonly readinessProbe: Probe;
  readonly securityContext: unknown;
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string; readonly subPath?: string }[];
}

interface PodSpec {
  readonly automountServiceAccountToken: boolean;
  readonly enableServiceLinks: boolean;
  readonly terminationGracePeriodSeconds: number;
  readonly securityContext: Readonly<Record<string, unknown>>;
  readonly containers: readonly [Container];
  readonly volumes: readonly { readonly name: string; readonly secret?: { readonly secretName: string } }[];
}

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace: string };
  readonly data?: Readonly<Record<string, string>>;
  readonly spec: {
    readonly replicas?: number;
    readonly ports: readonly Port[];
    readonly ingress: readonly { readonly ports: readonly { readonly port: string }[] }[];
    readonly scaleTargetRef: { readonly name: string };
    readonly template: { readonly spec: PodSpec };
  };
}

describe('The manifests for Kubernetes', () => {
  const manifests = parseAllDocuments(read(MANIFESTS)).map((document) => document.toJS() as Manifest);
  const one = (kind: string) => {
    const found = manifests.find((manifest) => manifest.kind === kind);
    assert.ok(found, kind);
    return found;
  };
  const deployment = one('Deployment');
  const pod = deployment.spec.template.spec;
  const [container] = pod.containers;
  const environment = one('ConfigMap').data ?? {};

  it('were made from the present chart', () => {
    const advice = 'install Helm, and run npm run generate';
    assert.equal(read(MANIFESTS).split('---')[0]?.replaceAll('\r\n', '\n'), manifestHead(), advice);
    assert.equal(renderChart() ?? read(MANIFESTS), read(MANIFESTS), advice);
  });

  it('have one of each kind, and the Secret is made by the user', () => {
    assert.deepEqual(manifests.map(({ kind }) => kind).toSorted(), [
      'ConfigMap',
      'Deployment',
      'HorizontalPodAutoscaler',
      'NetworkPolicy',
      'PodDisruptionBudget',
      'Service',
    ]);
    assert.equal(deployment.spec.replicas, undefined, 'the autoscaler decides');
    assert.equal(one('HorizontalPodAutoscaler').spec.scaleTargetRef.name, deployment.metadata.name);
  });

  it('set variables that exist, to values that the proxy accepts', () => {
    const known = VARIABLES.map(({ variable }) => variable);
    for (const variable of Object.keys(environment)) assert.ok(known.includes(variable), variable);
    const config = readEnvironment(environment);
    assert.equal(config.accessKeysOnly, true);
    assert.deepEqual(
      container.ports.map(({ containerPort }) => containerPort),
      [config.port, config.metricsPort],
    );
    const { name, namespace } = one('Service').metadata;
    assert.ok(config.allowedHosts.includes(name));
    assert.ok(config.allowedHosts.includes(`${name}.${namespace}.svc.cluster.local`));
  });

  it('have no secret in a variable: they are files that Kubernetes updates', () => {
    assert.equal(container.env, undefined);
    assert.deepEqual(container.envFrom, [{ configMapRef: { name: one('ConfigMap').metadata.name } }]);
    for (const { variable } of Object.values(SECRETS)) {
      assert.ok(!(variable in environment), variable);
      const file = environment[`${variable}_FILE`] ?? '';
      const mount = container.volumeMounts.find(({ mountPath }) => file.startsWith(`${mountPath}/`));
      assert.ok(mount, file);
      assert.equal(mount.subPath, undefined);
      assert.ok(pod.volumes.find(({ name }) => name === mount.name)?.secret);
    }
  });

  it('give a Pod no privileges, no token, no variables of Services, and a file system that it cannot write to', () => {
    assert.equal(pod.automountServiceAccountToken, false);
    assert.equal(pod.enableServiceLinks, false);
    const { runAsNonRoot, runAsUser, seccompProfile } = pod.securityContext;
    assert.deepEqual(
      { runAsNonRoot, runAsUser, seccompProfile },
      {
        runAsNonRoot: true,
        runAsUser: 1000,
        seccompProfile: { type: 'RuntimeDefault' },
      },
    );
    assert.deepEqual(container.securityContext, {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
  });

  it('kill a Pod only after it has drained, and drain it only when it is no longer used', () => {
    const { drainDelay, drain } = readEnvironment(environment);
    assert.ok(pod.terminationGracePeriodSeconds * 1000 > drainDelay + drain);
    const { periodSeconds, failureThreshold } = container.readinessProbe;
    assert.ok(drainDelay > periodSeconds * failureThreshold * 1000);
  });

  it('probe the routes for it, on the port that the Service and the policy name too', () => {
    assert.equal(container.startupProbe.httpGet.path, '/health');
    assert.equal(container.livenessProbe.httpGet.path, '/health');
    assert.equal(container.readinessProbe.httpGet.path, '/ready');
    const named = [
      ...[container.startupProbe, container.livenessProbe, container.readinessProbe].map(({ httpGet }) => httpGet.port),
      ...one('Service').spec.ports.map(({ targetPort }) => targetPort),
      ...one('NetworkPolicy').spec.ingress.flatMap(({ ports }) => ports.map(({ port }) => port)),
    ];
    assert.deepEqual(
      [...new Set(named)],
      container.ports.map(({ name }) => name),
    );
  });

  it('have the version of the package', () => {
    const { version } = JSON.parse(read('package.json')) as { readonly version: string };
    assert.equal(container.image, `sealed-proxy:${version}`);
    const chart = parse(read(`${CHART}/Chart.yaml`)) as { readonly version: string; readonly appVersion: string };
    assert.deepEqual([chart.version, chart.appVersion], [version, version]);
    const tags = [...read('docs/kubernetes.md').matchAll(/registry\.example\/sealed-proxy:(\S+)/g)].map(
      ([, tag]) => tag,
    );
    assert.deepEqual([...new Set(tags)], [version]);
  });

  it('have values of the chart that its schema describes, each of them', () => {
    const values = parse(read(`${CHART}/values.yaml`)) as object;
    const schema = JSON.parse(read(`${CHART}/values.schema.json`)) as { readonly properties: object };
    const described = Object.keys(schema.properties).filter((name) => name !== 'global'); // Helm sets it
    assert.deepEqual(Object.keys(values).toSorted(), described.toSorted());
  });

  it('do not let the settings of the chart replace what the chart sets', () => {
    const schema = JSON.parse(read(`${CHART}/values.schema.json`)) as {
      readonly properties: {
        readonly settings: { readonly propertyNames: { readonly not: { readonly enum: string[] } } };
      };
    };
    const values = parse(read(`${CHART}/values.yaml`)) as { readonly settings: object };
    const own = Object.keys(environment).filter((name) => !(name in values.settings));
    const secrets = Object.values(SECRETS).map(({ variable }) => variable);
    assert.deepEqual(
      schema.properties.settings.propertyNames.not.enum.toSorted(),
      [...own, ...secrets, 'PROXY_TLS_CERT_FILE', 'PROXY_TLS_KEY_FILE'].toSorted(),
    );
  });
});

describe('The recipes for balancers', () => {
  for (const name of readdirSync(fromRoot('deploy/balancers'))) {
    it(`wait longer than the proxy, and have room for its connections: ${name}`, () => {
      const text = read(`deploy/balancers/${name}`);
      const longest = Math.max(
        LIVE_SETTINGS.requestTimeoutSeconds.default,
        LIVE_SETTINGS.streamIdleTimeoutSeconds.default,
      );
      assert.ok(text.includes(`${longest + 30}s`));
      const [, most] = /(?:worker_connections|maxconn|max_connections:) (\d+)/.exec(text) ?? [];
      assert.ok(Number(most) > MAX_CONNECTIONS);
    });
  }
});

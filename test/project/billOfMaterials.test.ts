// What the bill of materials and the licences name is what esbuild has bundled.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { build } from 'esbuild';
import type { BuildOptions, Metafile, Plugin } from 'esbuild';
import { billOfMaterials, notices } from '../../scripts/components.ts';
import { fromRoot } from '../support/e2e/process.ts';

interface Materials {
  readonly components: readonly {
    readonly group?: string;
    readonly name: string;
    readonly version: string;
    readonly purl: string;
    readonly licenses: readonly [{ readonly license?: { readonly id: string }; readonly expression?: string }];
    readonly externalReferences: readonly [
      { readonly url: string; readonly hashes: readonly [{ readonly alg: string; readonly content: string }] },
    ];
    readonly properties: readonly { readonly value: string }[];
  }[];
}

const read = (path: string) => readFileSync(fromRoot(path), 'utf8');
const nameOf = ({ group, name, version }: Materials['components'][number]) =>
  `${group === undefined ? '' : `${group}/`}${name} ${version}`;

/** The packages, with their versions, that have at least one byte in a bundle: from the metafile alone. */
function packagesIn(metafiles: readonly Metafile[]): Set<string> {
  const found = new Set<string>();
  for (const { outputs } of metafiles) {
    for (const [path, { bytesInOutput }] of Object.values(outputs).flatMap(({ inputs }) => Object.entries(inputs))) {
      const folder = path.split('/');
      const at = folder.lastIndexOf('node_modules');
      if (at === -1 || bytesInOutput === 0) continue;
      const depth = folder[at + 1]?.startsWith('@') === true ? 3 : 2;
      const manifest = read(`${folder.slice(0, at + depth).join('/')}/package.json`);
      const { name, version } = JSON.parse(manifest) as { name: string; version: string };
      found.add(`${name} ${version}`);
    }
  }
  return found;
}

/** What is in a bundle, and not in the document or the licences. */
function missingFrom(document: string, licences: string, metafiles: readonly Metafile[]): string[] {
  const { components } = JSON.parse(document) as Materials;
  const listed = new Set(components.map(nameOf));
  const headings = new Set(licences.split('\n'));
  return [...packagesIn(metafiles)].filter((name) => !listed.has(name) || !headings.has(name));
}

/** Of JavaScript that has no types. */
const BUNDLING = '../../esbuild.mjs';

async function metafilesOf(...plugins: readonly Plugin[]): Promise<Metafile[]> {
  const { BUNDLES } = (await import(BUNDLING)) as { BUNDLES: readonly BuildOptions[] };
  const results = await Promise.all(
    BUNDLES.map((bundle) =>
      build({ ...bundle, plugins: [...(bundle.plugins ?? []), ...plugins], write: false, metafile: true }),
    ),
  );
  return results.map(({ metafile }) => metafile);
}

describe('The bill of materials', () => {
  const document = read('dist/sealed-proxy.cdx.json');
  const licences = read('dist/ThirdPartyNotices.txt');
  const { components } = JSON.parse(document) as Materials;
  let metafiles: Metafile[];

  before(async () => {
    metafiles = await metafilesOf();
  });

  it('names every package that has a byte in a bundle, as the licences do', () => {
    assert.ok(packagesIn(metafiles).size > 10);
    assert.deepEqual(missingFrom(document, licences, metafiles), []);
  });

  it('names no package that esbuild has not read for a bundle', () => {
    const paths = metafiles.flatMap(({ inputs }) => Object.keys(inputs));
    for (const { group, name } of components.filter(({ purl }) => purl.startsWith('pkg:npm/'))) {
      const folder = `node_modules/${group === undefined ? name : `${group}/${name}`}/`;
      assert.ok(
        paths.some((path) => path.startsWith(folder)),
        folder,
      );
    }
  });

  it('lacks a package that is planted in a bundle, until the bundle is built again', async () => {
    const planted = await metafilesOf({
      name: 'a planted package',
      setup: (bundle) => {
        bundle.onLoad({ filter: /src\/proxy\/main\.ts$/ }, ({ path }) => {
          return { contents: `import 'ajv';\n${readFileSync(path, 'utf8')}`, loader: 'ts' };
        });
      },
    });
    const { version } = JSON.parse(read('node_modules/ajv/package.json')) as { version: string };
    assert.ok(missingFrom(document, licences, planted).includes(`ajv ${version}`));
    const root = fromRoot('.');
    const again = [billOfMaterials(planted, root, 'unknown'), notices(planted, root)] as const;
    assert.deepEqual(missingFrom(...again, planted), []);
  });

  it('has for each component a licence, an address, a hash, and the files that contain it', () => {
    const lock = read('package-lock.json');
    for (const component of components) {
      const { licenses, externalReferences, properties, purl } = component;
      assert.match(licenses[0].license?.id ?? licenses[0].expression ?? '', /^(MIT|ISC|BSD-3-Clause|Apache-2\.0)$/);
      assert.ok(properties.length > 0);
      const [{ url, hashes }] = externalReferences;
      assert.match(url, /^https:\/\/.*\d\.(tgz|crate)$/);
      const [{ alg, content }] = hashes;
      if (purl.startsWith('pkg:npm/')) {
        assert.equal(alg, 'SHA-512');
        assert.ok(lock.includes(`sha512-${Buffer.from(content, 'hex').toString('base64')}`), nameOf(component));
      }
    }
  });

  it('names the same source of libsodium as the script that compiles it', () => {
    const [libsodium] = components.filter(({ name }) => name === 'libsodium');
    assert.ok(libsodium);
    const script = read('scripts/wasm.mjs');
    const [{ url, hashes }] = libsodium.externalReferences;
    for (const fact of [url, hashes[0].content, libsodium.version]) assert.ok(script.includes(fact), fact);
  });
});

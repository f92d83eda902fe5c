// What the bundles consist of besides the project's own code, from esbuild's metafile: the licences, and a bill of materials.
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Metafile } from 'esbuild';

/** Compiled into src/session/wasmCode.ts from sources that scripts/wasm.mjs names. */
const LIBSODIUM = {
  input: 'src/session/wasmCode.ts',
  name: 'libsodium',
  version: '1.0.22',
  license: 'ISC',
  purl: 'pkg:generic/libsodium@1.0.22',
  licenseFile: 'src/session/libsodium.LICENSE',
  url: 'https://static.crates.io/crates/libsodium-sys-stable/libsodium-sys-stable-1.24.3.crate',
  hashes: [{ alg: 'SHA-256', content: '1f55c1c508d31e2cf0a649c9c889e4bcf554cbfb2a6803f049f219784b044283' }],
};

/** What is bundled; `hashes` are those of the archive at `url`. */
interface Bundled {
  readonly name: string;
  readonly version: string;
  /** An identifier or an expression of SPDX. */
  readonly license: string;
  readonly purl: string;
  readonly url: string;
  readonly hashes: readonly { readonly alg: string; readonly content: string }[];
  readonly files: readonly string[];
}

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly license: string;
  readonly repository: { readonly url: string };
}

interface Locked {
  readonly version: string;
  readonly integrity: string;
  readonly license: string;
}

/**
 * The folders of the packages that the bundles consist of, below the root, each with the names of its bundles. A package that
 * esbuild has read counts, also if it left out all of its code.
 */
function bundledFolders(metafiles: readonly Metafile[]): ReadonlyMap<string, readonly string[]> {
  const folders = new Map<string, readonly string[]>();
  for (const { file, inputs } of bundlesOf(metafiles)) {
    for (const input of inputs) {
      // The path is a longer one if node_modules is a link to another folder.
      const [, folder] = /(?:^|\/)(node_modules\/(?:.*\/node_modules\/)?(?:@[^/]+\/)?[^/]+)\//.exec(input) ?? [];
      if (folder !== undefined) folders.set(folder, [...new Set([...(folders.get(folder) ?? []), file])]);
    }
  }
  return new Map([...folders].toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

/**
 * The full licences of everything bundled.
 * @param root of the project
 */
export function notices(metafiles: readonly Metafile[], root: string): string {
  const texts = [...bundledFolders(metafiles).keys()].map((folder) => {
    const { name, version } = readJson(root, folder, 'package.json') as Manifest;
    const file = readdirSync(join(root, folder)).find((entry) => /^licen[cs]e(\.|$)/i.test(entry));
    if (file === undefined) throw new Error(`${name} has no licence file`);
    return `${name} ${version}\n\n${readFileSync(join(root, folder, file), 'utf8').trim()}\n`;
  });
  const { name, version, licenseFile } = LIBSODIUM;
  texts.push(`${name} ${version}\n\n${readFileSync(join(root, licenseFile), 'utf8').trim()}\n`);
  return texts.join(`\n${'-'.repeat(80)}\n\n`);
}

/**
 * A CycloneDX 1.6 document of everything bundled. It has no time and no serial number, so that each build of a commit makes
 * the same one.
 * @param root of the project
 */
export function billOfMaterials(metafiles: readonly Metafile[], root: string, commit: string): string {
  const { name, version, description, license, repository } = readJson(root, 'package.json') as Manifest;
  const lock = readJson(root, 'package-lock.json') as { packages: Record<string, Locked> };
  const components = [...bundledFolders(metafiles)].map(([folder, files]) => {
    return packageComponent(folder, files, root, lock.packages[folder]);
  });
  const compiled = bundlesOf(metafiles).filter(({ inputs }) => inputs.includes(LIBSODIUM.input));
  if (compiled.length > 0) components.push(component({ ...LIBSODIUM, files: compiled.map(({ file }) => file) }));
  const purl = `pkg:npm/${name}@${version}`;
  const document = {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {
      component: {
        type: 'application',
        'bom-ref': purl,
        name,
        version,
        description,
        licenses: [{ license: { id: license } }],
        purl,
        externalReferences: [{ type: 'vcs', url: repository.url.replace(/\.git$/, '') }],
        properties: [{ name: 'sealed-proxy:commit', value: commit }],
      },
    },
    components,
    dependencies: [{ ref: purl, dependsOn: components.map((each) => each['bom-ref']) }],
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

/** The files that esbuild makes of code, with the paths of all that it has read for each. */
function bundlesOf(metafiles: readonly Metafile[]): { readonly file: string; readonly inputs: readonly string[] }[] {
  return metafiles.flatMap(({ inputs, outputs }) =>
    Object.entries(outputs)
      .filter(([path]) => !path.endsWith('.map'))
      .map(([path, output]) => ({
        file: path.replace(/^.*\//, ''),
        inputs: reachable(inputs, Object.keys(output.inputs)),
      })),
  );
}

/** Also what was read and then left out: a module that only passes on the names of others, for example. */
function reachable(inputs: Metafile['inputs'], paths: readonly string[]): string[] {
  const found = new Set<string>();
  const open = [...paths];
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    if (found.has(path)) continue;
    found.add(path);
    const imports = inputs[path]?.imports ?? [];
    open.push(...imports.filter(({ external }) => external !== true).map((each) => each.path));
  }
  return [...found];
}

function packageComponent(folder: string, files: readonly string[], root: string, locked: Locked | undefined) {
  const { name, version } = readJson(root, folder, 'package.json') as Manifest;
  if (locked?.version !== version) throw new Error(`${folder} is not the one in package-lock.json: run npm ci`);
  const [algorithm = '', value = ''] = locked.integrity.split('-');
  return component({
    name,
    version,
    license: locked.license,
    purl: `pkg:npm/${name.replace('@', '%40')}@${version}`,
    url: `https://registry.npmjs.org/${name}/-/${name.replace(/^.*\//, '')}-${version}.tgz`,
    hashes: [{ alg: algorithm.replace('sha', 'SHA-'), content: Buffer.from(value, 'base64').toString('hex') }],
    files,
  });
}

function component({ name, version, license, purl, url, hashes, files }: Bundled) {
  const [, group, local = name] = /^(@[^/]+)\/(.+)$/.exec(name) ?? [];
  return {
    type: 'library',
    'bom-ref': purl,
    ...(group !== undefined && { group }),
    name: local,
    version,
    licenses: [/^[\w.-]+$/.test(license) ? { license: { id: license } } : { expression: license }],
    purl,
    externalReferences: [{ type: 'distribution', url, hashes }],
    properties: files.map((file) => ({ name: 'sealed-proxy:file', value: `dist/${file}` })),
  };
}

function readJson(...path: readonly string[]): unknown {
  return JSON.parse(readFileSync(join(...path), 'utf8'));
}

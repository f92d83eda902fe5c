// Makes an editor's proxy trust the authority of the tests' enclaves instead of AWS, and their TLS certificates.
import { mkdtempSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RunningEnclave } from '../../../src/devEnclave/server.ts';
import { asBuffer } from '../../../src/shared/bytes.ts';
import type { Scope } from '../e2e/scope.ts';
import type { Equipment } from './editor.ts';
import { TRUSTING_VSIX } from './profile.ts';

export interface Trusting extends Equipment {
  /** Read by the proxy when it starts. */
  readonly rootsFile: string;
  /** Its content. */
  readonly roots: string;
}

/** @param authority the certificate that signed the enclaves' TLS certificates, as PEM */
export function trustingEquipment(scope: Scope, authority: string, enclaves: readonly RunningEnclave[]): Trusting {
  const folder = mkdtempSync(join(tmpdir(), 'sealed-proxy-trust-'));
  scope.onClose(async () => rm(folder, { recursive: true }));
  const roots = JSON.stringify(
    enclaves.flatMap(({ anchors }) => anchors.roots.map((root) => asBuffer(root).toString('base64'))),
  );
  const [rootsFile, authorityFile] = [join(folder, 'roots.json'), join(folder, 'authority.pem')];
  writeFileSync(rootsFile, roots);
  writeFileSync(authorityFile, authority);
  const env = { NODE_EXTRA_CA_CERTS: authorityFile, TRUSTED_ROOTS: rootsFile };
  return { vsix: TRUSTING_VSIX, env, rootsFile, roots };
}

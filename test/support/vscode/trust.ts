// Makes an editor's proxy trust the authority of the tests' enclaves instead of AWS, and their TLS certificates.
import { mkdtempSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DEVELOPMENT_PCR0 } from '../../../src/devEnclave/attestation/document.ts';
import type { EnclaveOptions, RunningEnclave } from '../../../src/devEnclave/server.ts';
import { asBuffer, toHex } from '../../../src/shared/bytes.ts';
import { freePort } from '../../../src/supervisor/freePort.ts';
import { identityFor, openCompanyProxy } from '../e2e/companyProxy.ts';
import type { Scope } from '../e2e/scope.ts';
import { Editor } from './editor.ts';
import type { Equipment } from './editor.ts';
import { TRUSTING_VSIX } from './profile.ts';
import type { SettingValues } from './profile.ts';

const ENCLAVE = 'enclave.elsewhere.example';
const SIGNED = { moduleId: 'i-0f1e2d3c4b5a69788-enc0190c0de5eed0001' };

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

/** Starts an editor whose proxy reaches an enclave behind the proxy of a company, and trusts its image. */
export async function startVerifiedEditor(
  scope: Scope,
  options: { enclave?: EnclaveOptions; settings?: SettingValues; env?: Equipment['env'] } = {},
): Promise<Editor> {
  const tls = identityFor(ENCLAVE);
  const enclave = await scope.enclave({ tls, signed: SIGNED, ...options.enclave });
  const company = await openCompanyProxy({ [`${ENCLAVE}:443`]: enclave.port });
  scope.onClose(() => company.close());
  const { vsix, env } = trustingEquipment(scope, tls.ca, [enclave]);
  const settings = {
    'sealedProxy.backendUrl': `https://${ENCLAVE}`,
    'sealedProxy.additionalPcr0': [toHex(DEVELOPMENT_PCR0)],
    'sealedProxy.port': await freePort(),
    'http.proxy': company.url,
    ...options.settings,
  };
  const editor = await Editor.start(settings, { vsix, env: { ...env, ...options.env } });
  scope.onClose(() => editor.stop());
  return editor;
}

// Replaces src/attestation/trust.ts in a package that is only for tests (scripts/vscode/packages.mjs). No setting can name
// an authority other than AWS, and the tests do not have the keys of AWS.
import { readFileSync } from 'node:fs';
import type { TrustAnchors } from '../../../src/attestation/trust.ts';

export { isTrustAnchor } from '../../../src/attestation/trust.ts';

/** A list of DER certificates as Base64, from the file that this variable names. Read when the proxy starts. */
const roots = JSON.parse(readFileSync(process.env['TRUSTED_ROOTS'] ?? '', 'utf8')) as readonly string[];

export const AWS_NITRO_ROOT: TrustAnchors = { roots: roots.map((root) => Buffer.from(root, 'base64')) };

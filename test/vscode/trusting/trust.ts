// Takes the place of src/attestation/trust.ts in a package for the tests alone (scripts/vscode/packages.mjs): no setting
// names another authority than AWS, and no test has the keys of that one.
import { readFileSync } from 'node:fs';
import type { TrustAnchors } from '../../../src/attestation/trust.ts';

export { isTrustAnchor } from '../../../src/attestation/trust.ts';

/** A list of certificates as Base64 of DER, in the file that this variable names. Read when the proxy starts. */
const roots = JSON.parse(readFileSync(process.env['TRUSTED_ROOTS'] ?? '', 'utf8')) as readonly string[];

export const AWS_NITRO_ROOT: TrustAnchors = { roots: roots.map((root) => Buffer.from(root, 'base64')) };

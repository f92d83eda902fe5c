// Runs the sources of the proxy with the trust of test/vscode/trusting/trust.ts: in place of AWS, it trusts the certificates
// in the file that TRUSTED_ROOTS names.
import { registerHooks } from 'node:module';

const own = new URL('../../vscode/trusting/trust.ts', import.meta.url).href;

registerHooks({
  resolve: (specifier, context, next) => {
    const found = next(specifier, context);
    const isReplaced = found.url.endsWith('/src/attestation/trust.ts') && context.parentURL !== own;
    return isReplaced ? { ...found, url: own } : found;
  },
});

await import('../../../src/proxy/main.ts');

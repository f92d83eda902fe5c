// The certificates of an attestation as its evidence describes them (docs/evidence.md, certificate_chain), root first. Pure.
import type { ChainCertificate } from '../../dashboard/model.ts';
import { asPlain } from '../../shared/escape.ts';
import type { Evidence } from '../../shared/evidence.ts';

/** Empty unless the check of the chain has passed. */
export function certificateChain({ checks }: Evidence): readonly ChainCertificate[] {
  const check = checks.find(({ id }) => id === 'certificate_chain');
  if (check?.result !== 'pass') return [];
  const valuesOf = (name: string) => [check.examined[name] ?? []].flat();
  const [sha256, subjects, notBefore, notAfter] = ['sha256', 'subjects', 'notBefore', 'notAfter'].map(valuesOf);
  return (sha256 ?? []).map((fingerprint, index, all) => {
    const subject = subjects?.[index] ?? '';
    return {
      role: roleOf(index, all.length),
      name: asPlain(/^CN=(.*)$/m.exec(subject)?.[1] ?? subject),
      subject: asPlain(subject.replaceAll('\n', ', '), 500),
      validFrom: Date.parse(notBefore?.[index] ?? ''),
      validTo: Date.parse(notAfter?.[index] ?? ''),
      sha256: fingerprint,
    };
  });
}

function roleOf(index: number, length: number): ChainCertificate['role'] {
  if (index === 0) return 'root';
  return index === length - 1 ? 'leaf' : 'intermediate';
}

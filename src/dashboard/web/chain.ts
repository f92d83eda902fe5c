// The certificate chain, from the root to the leaf.
import { html } from 'lit';
import type { TemplateResult } from 'lit';
import type { ChainCertificate } from '../model.ts';
import { facts, formats, icon, name } from './parts.ts';

const ROLES: Readonly<Record<ChainCertificate['role'], string>> = {
  root: 'Root',
  intermediate: 'Intermediate',
  leaf: 'Leaf',
};

export function certificateChain(chain: readonly ChainCertificate[], now: number): TemplateResult {
  return html`<ol class="chain">
    ${chain.map((certificate) => link(certificate, now))}
  </ol>`;
}

function link(certificate: ChainCertificate, now: number): TemplateResult {
  const { role, name: commonName, subject, validFrom, validTo, sha256 } = certificate;
  const [tone, word] = validity(certificate, now);
  const details = [
    { name: 'Subject', value: subject },
    { name: 'SHA-256', value: sha256 },
  ];
  return html`<li class="certificate">
    <div class="certificate-head"><span class="role">${ROLES[role]}</span>${name(commonName)}</div>
    <div class="validity">${icon(tone)}<span>${word}</span></div>
    ${lifetime(certificate, now)}
    <div class="dates">
      <span>${formats.dateTime(validFrom)}</span>
      <span>${formats.dateTime(validTo)}</span>
    </div>
    <details>
      <summary>Details</summary>
      ${facts(details)}
    </details>
  </li>`;
}

function validity({ validFrom, validTo }: ChainCertificate, now: number): readonly ['good' | 'error', string] {
  if (now < validFrom) return ['error', 'Not yet valid'];
  return now > validTo ? ['error', 'Expired'] : ['good', 'Valid now'];
}

/** From the first to the last moment of the certificate, filled up to now. */
function lifetime({ validFrom, validTo }: ChainCertificate, now: number): TemplateResult {
  const elapsed = Math.min(1, Math.max(0, (now - validFrom) / (validTo - validFrom || 1)));
  return html`<svg class="lifetime" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
    <rect class="all" width="100" height="6"></rect>
    <rect class="elapsed" width=${elapsed * 100} height="6"></rect>
  </svg>`;
}

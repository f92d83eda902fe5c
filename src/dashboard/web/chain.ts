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

function link(
  { role, name: commonName, subject, validFrom, validTo, sha256 }: ChainCertificate,
  now: number,
): TemplateResult {
  const validity =
    now < validFrom
      ? (['error', 'Not yet valid'] as const)
      : now > validTo
        ? (['error', 'Expired'] as const)
        : (['good', 'Valid now'] as const);
  const details = [
    { name: 'Subject', value: subject },
    { name: 'Valid from', value: formats.dateTime(validFrom) },
    { name: 'Valid to', value: formats.dateTime(validTo) },
    { name: 'SHA-256', value: sha256 },
  ];
  const [tone, word] = validity;
  return html`<li class="certificate">
    <div class="certificate-head"><span class="role">${ROLES[role]}</span>${name(commonName)}</div>
    <div class="validity tone-${tone}">${icon(tone)}${word}</div>
    <div class="dates">${formats.dateTime(validFrom)} – ${formats.dateTime(validTo)}</div>
    <details>
      <summary>Certificate details</summary>
      ${facts(details)}
    </details>
  </li>`;
}

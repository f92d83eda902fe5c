// Searches text for secrets that must not be there.
import assert from 'node:assert/strict';

/** Every form in which `secret` could appear: plain, percent-encoded, hexadecimal, escaped, and inside Base64. */
function formsOf(secret: string): readonly string[] {
  const bytes = Buffer.from(secret);
  const encoded = [0, 1, 2].flatMap((shift) => {
    // The bytes around the secret determine the first and the last character of its Base64: cut them off.
    const text = Buffer.concat([Buffer.alloc(shift), bytes])
      .toString('base64')
      .replaceAll('=', '');
    const inner = text.slice(shift === 0 ? 0 : shift + 1, -1);
    return [inner, inner.replaceAll('+', '-').replaceAll('/', '_')];
  });
  return [secret, encodeURIComponent(secret), bytes.toString('hex'), JSON.stringify(secret).slice(1, -1), ...encoded];
}

/** Fails if `text` contains any form of any secret. */
export function assertNoSecretLeaks(secrets: Readonly<Record<string, string>>, text: string, where: string): void {
  for (const [name, secret] of Object.entries(secrets)) {
    for (const form of formsOf(secret)) {
      assert.ok(form.length >= 8, `${name} is too short to search for`);
      assert.ok(!text.includes(form), `${name} is in ${where}: ${form}`);
    }
  }
}

// Refusals without which no case changes, and why: something else refuses the same documents with the same code.
const COMPILER = 'the compiler needs it; the next condition refuses the same';
const CRASH = 'without it, the next line fails on the same certificates, which is a refusal too';

export const REASONS: Readonly<Record<string, string>> = {
  'cose.ts: !(payload instanceof Uint8Array)': 'the decoder refuses what is not bytes, with the same code',
  "document.ts: typeof index === 'number' (pcrs)": COMPILER,
  'document.ts: Number.isInteger(index) (pcrs)': 'cbor.ts refuses floats as keys',
  "document.ts: typeof value !== 'number' (timestamp)": COMPILER,
  'signature.ts: signature.length === SIGNATURE_BYTES (isSignedBy)':
    'cose.ts refuses other lengths before; signature.ts also verifies histories of images',
  'certificates.ts: reader.end(); (readPublicKey)': 'OpenSSL reads the same bytes, and refuses further elements',
  'certificates.ts: point.length !== POINT_BYTES (readPublicKey)': 'OpenSSL refuses points of another length',
  'der.ts: content.length !== length': 'what is cut off also ends beyond its parent, which `end()` refuses',
  'der.ts: size !== 1 && size !== 2': 'a longer length is not in its shortest form in 1,024 bytes, or is cut off',
  'der.ts: byte === undefined': CRASH,
  'der.ts: first === undefined (objectIdentifier)': CRASH,
  'der.ts: unused === undefined (namedBits)': 'an empty content has no last byte either',
  'der.ts: last === undefined (namedBits)': 'nothing, modulo a number, is not zero, which the next condition refuses',
  'der.ts: parts === undefined': CRASH,
  'der.ts: Number.isNaN(milliseconds) (time)': CRASH,
};

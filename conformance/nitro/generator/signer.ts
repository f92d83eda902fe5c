// Keys that follow from their names, and ECDSA signatures that follow from key and message (RFC 6979). So the same program
// always makes the same documents. Everybody can calculate these keys: they sign test documents only.
import { type KeyObject, createECDH, createHmac, createPrivateKey, createPublicKey, hash } from 'node:crypto';
import { encodeDer } from '../../../src/devEnclave/attestation/der.ts';
import { concatBytes } from '../../../src/shared/bytes.ts';

interface Curve {
  /** As createECDH and a JWK name it. */
  readonly name: 'prime256v1' | 'secp384r1';
  readonly jwk: 'P-256' | 'P-384';
  readonly bytes: number;
  readonly order: bigint;
}

export const P384: Curve = {
  name: 'secp384r1',
  jwk: 'P-384',
  bytes: 48,
  order: 0xffffffffffffffffffffffffffffffffffffffffffffffffc7634d81f4372ddf581a0db248b0a77aecec196accc52973n,
};
export const P256: Curve = {
  name: 'prime256v1',
  jwk: 'P-256',
  bytes: 32,
  order: 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n,
};

type Hash = 'sha256' | 'sha384';

/** r and s of an ECDSA signature. */
export interface SignaturePair {
  readonly r: bigint;
  readonly s: bigint;
}

export interface SigningKey {
  /** SubjectPublicKeyInfo, DER. */
  readonly publicKey: Uint8Array;
  readonly privateKey: KeyObject;
  readonly sign: (message: Uint8Array, algorithm?: Hash) => SignaturePair;
}

/** The key with this name. */
export function keyOf(name: string, curve: Curve = P384): SigningKey {
  const digest = toNumber(hash('sha512', `throwaway key of the conformance suite: ${name}`, 'buffer'));
  return keyFrom((digest % (curve.order - 1n)) + 1n, curve);
}

/** @param secret 1 to below the order of the curve */
export function keyFrom(secret: bigint, curve: Curve = P384): SigningKey {
  const { x, y } = multiply(secret, curve);
  const [d, ...point] = [toBytes(secret, curve), x, y].map((bytes) => Buffer.from(bytes).toString('base64url'));
  const jwk = { kty: 'EC', crv: curve.jwk, x: point[0] ?? '', y: point[1] ?? '', d: d ?? '' };
  const privateKey = createPrivateKey({ key: jwk, format: 'jwk' });
  return {
    publicKey: new Uint8Array(createPublicKey(privateKey).export({ format: 'der', type: 'spki' })),
    privateKey,
    sign: (message, algorithm = 'sha384') => signWith(secret, curve, message, algorithm),
  };
}

/** The form of a COSE signature (RFC 8152 section 8.1): r || s, 48 bytes each. */
export function rawSignature({ r, s }: SignaturePair): Uint8Array {
  return concatBytes(toBytes(r, P384), toBytes(s, P384));
}

/** The form of a certificate's signature (RFC 3279 section 2.2.3): ECDSA-Sig-Value, DER. */
export function derSignature({ r, s }: SignaturePair): Uint8Array {
  return encodeDer('sequence', encodeInteger(r), encodeInteger(s));
}

/** A non-negative INTEGER. */
export function encodeInteger(value: bigint): Uint8Array {
  const digits = value.toString(16);
  const bytes = Buffer.from(digits.padStart(digits.length + (digits.length % 2), '0'), 'hex');
  return encodeDer('integer', (bytes[0] ?? 0) >= 0x80 ? concatBytes(Uint8Array.of(0), bytes) : bytes);
}

function signWith(secret: bigint, curve: Curve, message: Uint8Array, algorithm: Hash): SignaturePair {
  const digest = hash(algorithm, message, 'buffer');
  const number = leftmostBits(digest, curve);
  const nonce = nonceFor(secret, curve, number % curve.order, algorithm);
  const r = toNumber(multiply(nonce, curve).x) % curve.order;
  const s = (inverse(nonce, curve.order) * (number + r * secret)) % curve.order;
  return { r, s };
}

/** RFC 6979 section 3.2, for digests that are at least as long as the order of the curve or shorter by whole bytes. */
function nonceFor(secret: bigint, curve: Curve, digest: bigint, algorithm: Hash): bigint {
  const size = algorithm === 'sha384' ? 48 : 32;
  const seed = concatBytes(toBytes(secret, curve), toBytes(digest, curve));
  let value: Uint8Array = new Uint8Array(size).fill(1);
  let key: Uint8Array = new Uint8Array(size);
  const mac = (...parts: readonly Uint8Array[]): Uint8Array =>
    new Uint8Array(
      createHmac(algorithm, key)
        .update(concatBytes(...parts))
        .digest(),
    );
  for (const separator of [0, 1]) {
    key = mac(value, Uint8Array.of(separator), seed);
    value = mac(value);
  }
  for (;;) {
    let bytes: Uint8Array = new Uint8Array(0);
    while (bytes.length < curve.bytes) {
      value = mac(value);
      bytes = concatBytes(bytes, value);
    }
    const nonce = leftmostBits(bytes, curve);
    if (nonce > 0n && nonce < curve.order) return nonce;
    key = mac(value, Uint8Array.of(0));
    value = mac(value);
  }
}

/** The point `factor` times the base point. */
function multiply(factor: bigint, curve: Curve): { readonly x: Uint8Array; readonly y: Uint8Array } {
  const ecdh = createECDH(curve.name);
  ecdh.setPrivateKey(toBytes(factor, curve));
  const point = ecdh.getPublicKey();
  return { x: point.subarray(1, 1 + curve.bytes), y: point.subarray(1 + curve.bytes) };
}

/** The orders of both curves have whole bytes. */
function leftmostBits(bytes: Uint8Array, curve: Curve): bigint {
  return toNumber(bytes.subarray(0, curve.bytes));
}

function inverse(value: bigint, modulus: bigint): bigint {
  let [a, b, x, y] = [value % modulus, modulus, 1n, 0n];
  while (a > 1n) {
    const quotient = b / a;
    [a, b] = [b - quotient * a, a];
    [x, y] = [y - quotient * x, x];
  }
  return ((x % modulus) + modulus) % modulus;
}

function toNumber(bytes: Uint8Array): bigint {
  return BigInt(`0x${Buffer.from(bytes).toString('hex')}`);
}

function toBytes(value: bigint, curve: Curve): Uint8Array {
  return new Uint8Array(Buffer.from(value.toString(16).padStart(2 * curve.bytes, '0'), 'hex'));
}

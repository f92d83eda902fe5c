/**
 * The same bytes in several chunks: each alone, and cut at a few places that depend on the bytes.
 * @param unit chunks are multiples of it, in bytes
 */
export function inChunks(bytes: Uint8Array, unit = 1): readonly (readonly Uint8Array[])[] {
  const single = bytes.length <= 512 ? [cut(bytes, unit)] : [];
  const width = unit * (1 + ((bytes[bytes.length >> 1] ?? 0) % 61));
  return [...single, cut(bytes, width)];
}

function cut(bytes: Uint8Array, width: number): Uint8Array[] {
  const count = Math.ceil(bytes.length / width);
  return Array.from({ length: count }, (_, index) => bytes.subarray(index * width, (index + 1) * width));
}

// Seeded mutations of bytes, and of the elements of certificates.
import { type KeyObject, sign } from 'node:crypto';
import { encodeDer } from '../../src/devEnclave/attestation/der.ts';
import { pick } from './mutations.ts';

type Random = () => number;

export interface MutatedBytes {
  /** What was done. */
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** With a bit flipped, bytes removed, inserted or repeated, or cut off. */
export function mutateBytes(bytes: Uint8Array, random: Random): Uint8Array {
  const at = Math.floor(random() * bytes.length);
  const size = 1 + Math.floor(random() * 4);
  const [before, after] = [bytes.subarray(0, at), bytes.subarray(at)];
  switch (pick(random, ['flip', 'flip', 'set', 'remove', 'insert', 'repeat', 'cut'])) {
    case 'flip':
      return bytes.map((byte, index) => (index === at ? byte ^ (1 << Math.floor(random() * 8)) : byte));
    case 'set':
      return bytes.map((byte, index) => (index === at ? pick(random, [0, 1, 0x7f, 0x80, 0xff]) : byte));
    case 'remove':
      return Buffer.concat([before, after.subarray(size)]);
    case 'insert':
      return Buffer.concat([before, randomOf(random, size), after]);
    case 'repeat':
      return Buffer.concat([before, after.subarray(0, size), after]);
    default:
      return before;
  }
}

function randomOf(random: Random, size: number): Uint8Array {
  return Uint8Array.from({ length: size }, () => Math.floor(random() * 256));
}

/** An element of DER. One with children is built again from them. */
interface Node {
  readonly tag: number;
  content: Uint8Array;
  children: Node[];
  /** In place of everything else. */
  bytes?: Uint8Array;
}

const OCTET_STRING = 0x04;

function parseNodes(bytes: Uint8Array): Node[] {
  const nodes: Node[] = [];
  for (let at = 0; at < bytes.length;) {
    const [tag = 0, first = 0, second = 0, third = 0] = bytes.subarray(at);
    const [header, length] =
      first < 0x80 ? [2, first] : first === 0x81 ? [3, second] : [4, first === 0x82 ? 256 * second + third : Infinity];
    const content = bytes.subarray(at + header, at + header + length);
    if (content.length !== length) throw new Error('not DER');
    nodes.push({ tag, content, children: childrenOf(tag, content) });
    at += header + length;
  }
  return nodes;
}

/** Also those inside an OCTET STRING, if there are any. */
function childrenOf(tag: number, content: Uint8Array): Node[] {
  if ((tag & 0x20) !== 0) return parseNodes(content);
  if (tag !== OCTET_STRING) return [];
  try {
    return parseNodes(content);
  } catch {
    return [];
  }
}

function encodeNode({ tag, content, children, bytes }: Node): Uint8Array {
  if (bytes !== undefined) return bytes;
  return encodeDer(tag, ...(children.length === 0 ? [content] : children.map(encodeNode)));
}

/** A certificate (DER) with one or two elements changed, signed again with `signer`. Sometimes, only what is beside the signed part changes. */
export function mutateCertificate(der: Uint8Array, signer: KeyObject, random: Random): MutatedBytes {
  const [root] = parseNodes(der);
  if (root === undefined) throw new Error('not a certificate');
  const isSignedPart = random() < 0.9;
  const names: string[] = [];
  for (let done = 0; done < (random() < 0.8 ? 1 : 2); done++) {
    const place = isSignedPart ? root.children[0] : pick(random, [root, ...root.children.slice(1)]);
    if (place !== undefined) names.push(mutateNode(place, random));
  }
  const bytes = isSignedPart ? signAgain(root, signer) : encodeNode(root);
  return { name: names.join(' and '), bytes };
}

function signAgain({ tag, children: [signed, algorithm] }: Node, signer: KeyObject): Uint8Array {
  if (signed === undefined || algorithm === undefined) throw new Error('not a certificate');
  const content = encodeNode(signed);
  const signature = encodeDer('bitString', Uint8Array.of(0), sign('sha384', content, signer));
  return encodeDer(tag, content, encodeNode(algorithm), signature);
}

/** All elements inside, with their parents. */
function placesIn(parent: Node): (readonly [Node, number])[] {
  return parent.children.flatMap((child, index) => [[parent, index] as const, ...placesIn(child)]);
}

const TAGS = [
  0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x0c, 0x13, 0x14, 0x16, 0x17, 0x18, 0x1e, 0x30, 0x31, 0x80, 0xa0, 0xa3,
];

function mutateNode(within: Node, random: Random): string {
  const places = placesIn(within);
  if (places.length === 0) {
    within.content = mutateBytes(within.content, random);
    return 'content';
  }
  const [parent, index] = pick(random, places);
  const child = parent.children[index];
  if (child === undefined) throw new Error('no element');
  const encoded = encodeNode(child);
  const action = pick(random, ACTIONS);
  const replace = (...nodes: readonly Uint8Array[]) => {
    parent.children.splice(index, 1, ...nodes.map((bytes) => ({ ...child, bytes })));
    if (parent.children.length === 0) parent.content = new Uint8Array(0);
  };
  switch (action) {
    case 'content':
      replace(encodeDer(child.tag, mutateBytes(encoded.subarray(encoded.length - lengthOf(child)), random)));
      break;
    case 'time':
      replace(encodeDer(pick(random, ['utcTime', 'generalizedTime']), Buffer.from(pick(random, TIMES))));
      break;
    case 'integer':
      replace(encodeDer('integer', pick(random, INTEGERS)));
      break;
    case 'tag':
      replace(encodeDer(pick(random, TAGS), encoded.subarray(encoded.length - lengthOf(child))));
      break;
    case 'long length':
      replace(longForm(child.tag, encoded.subarray(encoded.length - lengthOf(child)), pick(random, [1, 2, 3])));
      break;
    case 'empty':
      replace(encodeDer(child.tag));
      break;
    case 'remove':
      replace();
      break;
    case 'repeat':
      replace(encoded, encoded);
      break;
    case 'move':
      replace();
      parent.children.push({ ...child, bytes: encoded });
      break;
    case 'further element':
      replace(encoded, pick(random, FURTHER));
      break;
    case 'flag':
      replace(encodeDer('boolean', Uint8Array.of(pick(random, [0, 1, 0xff]))), encoded);
  }
  return `${action} of ${child.tag.toString(16)}`;
}

const ACTIONS = [
  ...['content', 'content', 'content', 'time', 'integer', 'tag', 'long length', 'empty', 'remove', 'repeat', 'move'],
  ...['further element', 'flag'],
] as const;
const TIMES = [
  ...[
    '260101000000Z',
    '500101000000Z',
    '491231235959Z',
    '250229000000Z',
    '240229000000Z',
    '261301000000Z',
    '260101240000Z',
  ],
  ...['20500101000000Z', '20490101000000Z', '99991231235959Z', '20510229000000Z', '2601010000Z', '260101000000+0000'],
  ...['20500101000000.5Z', '20500101000060Z', ''],
];
const INTEGERS = [
  '',
  '00',
  '01',
  '7f',
  '80',
  'ff',
  '0080',
  '00ff',
  '0001',
  'ff80',
  `00${'ff'.repeat(20)}`,
  `01${'00'.repeat(20)}`,
].map((digits) => Buffer.from(digits, 'hex'));
const FURTHER = ['0500', '00', '0101ff', '020101', '0c0161', '3000', '800100', '1f8101', 'a3023000'].map((digits) =>
  Buffer.from(digits, 'hex'),
);

function lengthOf({ content, children }: Node): number {
  return children.length === 0 ? content.length : children.reduce((sum, child) => sum + encodeNode(child).length, 0);
}

function longForm(tag: number, content: Uint8Array, size: number): Uint8Array {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(content.length);
  return Buffer.concat([Uint8Array.of(tag, 0x80 + size), length.subarray(4 - size), content]);
}

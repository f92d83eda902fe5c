// What the verifier compares the document with: measurements, challenge and keys.
import { hash } from 'node:crypto';
import { concatBytes } from '../../../src/shared/bytes.ts';
import type { Group } from './cases.ts';
import { LEAF, hex } from './certificates.ts';
import { CHALLENGE, PCR0, SERVER_KEY, USER_DATA, documentOf, raw } from './documents.ts';

const ZERO = new Uint8Array(48);
const OTHER = hash('sha384', 'other enclave', 'buffer');
const flipped = (bytes: Uint8Array, at: number): Uint8Array =>
  bytes.map((byte, index) => (index === at ? byte ^ 1 : byte));
const measured = (...pcrs: readonly (readonly [number, Uint8Array])[]): Uint8Array =>
  documentOf({ pcrs: new Map(pcrs) });
const anyImage = { pcr0: undefined };

const PCRS: readonly Group[] = [
  {
    area: 'pcrs',
    strength: 'required',
    clause: 'AWS section 2.2',
    refused: undefined,
    variants: {
      'an accepted image': documentOf(),
      'the second of two accepted images': { document: documentOf(), pcr0: [OTHER, PCR0] },
      'any image': { document: measured([0, OTHER]), ...anyImage },
      'other measurements of zeros': measured([0, PCR0], [1, ZERO], [2, ZERO]),
      'measurements in another order': measured([8, OTHER], [2, OTHER], [0, PCR0]),
    },
  },
  {
    area: 'pcrs',
    strength: 'required',
    clause: 'AWS section 2.2',
    refused: 'pcr0_not_approved',
    variants: {
      'another image': measured([0, OTHER]),
      'no accepted images': { document: documentOf(), pcr0: [] },
      'an image that differs in the first bit': measured([0, flipped(PCR0, 0)]),
      'an image that differs in the last bit': measured([0, flipped(PCR0, 47)]),
      'an accepted image in PCR1': measured([0, OTHER], [1, PCR0]),
      'no PCR0': measured([1, PCR0]),
      'only PCR31': measured([31, PCR0]),
    },
  },
  {
    area: 'pcrs',
    strength: 'profile',
    clause: 'AWS section 2.2',
    refused: 'pcr0_not_approved',
    check: 'debug_mode',
    variants: {
      'no PCR0, with any image accepted': { document: measured([1, PCR0], [2, PCR0]), ...anyImage },
    },
  },
  {
    area: 'pcrs',
    strength: 'profile',
    clause: 'AWS section 2.2',
    refused: 'debug_mode',
    variants: {
      'debug mode': measured([0, ZERO]),
      'debug mode, with any image accepted': { document: measured([0, ZERO]), ...anyImage },
      'debug mode, which the policy accepts': { document: measured([0, ZERO]), pcr0: [ZERO] },
      'debug mode with an accepted image in PCR1': measured([0, ZERO], [1, PCR0]),
      'debug mode with all measurements of zeros': measured(
        ...Array.from({ length: 16 }, (_, index) => [index, ZERO] as const),
      ),
    },
  },
  {
    area: 'pcrs',
    strength: 'required',
    clause: 'AWS section 2.2',
    refused: undefined,
    variants: {
      'an accepted image of zeros except the last bit': {
        document: measured([0, flipped(ZERO, 47)]),
        pcr0: [flipped(ZERO, 47)],
      },
      'an accepted image of zeros except the first bit': {
        document: measured([0, flipped(ZERO, 0)]),
        pcr0: [flipped(ZERO, 0)],
      },
    },
  },
];

const BINDINGS: readonly Group[] = [
  {
    area: 'bindings',
    strength: 'required',
    clause: 'AWS section 2.2.2',
    refused: undefined,
    variants: {
      'the challenge, the key and the data that were expected': documentOf(),
      'no challenge to compare with': { document: documentOf({ nonce: new Uint8Array(20) }), challenge: undefined },
      'no data to compare with': { document: documentOf({ user_data: new Uint8Array(20) }), userData: undefined },
    },
  },
  {
    area: 'bindings',
    strength: 'required',
    clause: 'AWS section 2.2.2',
    refused: 'nonce_mismatch',
    variants: {
      'no nonce': documentOf({ nonce: undefined }),
      'a nonce of null': documentOf({ nonce: null }),
      'an empty nonce': documentOf({ nonce: new Uint8Array(0) }),
      'another nonce': documentOf({ nonce: new Uint8Array(32).fill(1) }),
      'a nonce that differs in the first bit': documentOf({ nonce: flipped(CHALLENGE, 0) }),
      'a nonce that differs in the last bit': documentOf({ nonce: flipped(CHALLENGE, 31) }),
      'the first half of the nonce': documentOf({ nonce: CHALLENGE.subarray(0, 16) }),
      'a nonce with a further byte': documentOf({ nonce: concatBytes(CHALLENGE, hex('00')) }),
      'a nonce without its last byte': documentOf({ nonce: CHALLENGE.subarray(0, 31) }),
      'the nonce in another field': documentOf({ nonce: undefined, Nonce: CHALLENGE }),
      'the nonce in user_data': {
        document: documentOf({ nonce: undefined, user_data: CHALLENGE }),
        userData: undefined,
      },
      'a nonce of 512 bytes': documentOf({ nonce: new Uint8Array(512) }),
    },
  },
  {
    area: 'bindings',
    strength: 'required',
    clause: 'AWS section 2.2.2',
    refused: 'public_key_mismatch',
    variants: {
      'no public_key': documentOf({ public_key: undefined }),
      'a public_key of null': documentOf({ public_key: null }),
      'a public_key of one byte': documentOf({ public_key: SERVER_KEY.subarray(0, 1) }),
      'a public_key of 31 bytes': documentOf({ public_key: SERVER_KEY.subarray(0, 31) }),
      'a public_key of 33 bytes': documentOf({ public_key: concatBytes(hex('40'), SERVER_KEY) }),
      'a public_key in DER': documentOf({ public_key: concatBytes(hex('302a 3005 0603 2b656e 0321 00'), SERVER_KEY) }),
      'a public_key on P-384': documentOf({ public_key: LEAF.publicKey }),
      'a public_key of 1,024 bytes': documentOf({ public_key: new Uint8Array(1024) }),
      'the key in another field': documentOf(
        { public_key: undefined },
        { more: raw('69 7075626c69634b6579 5820', SERVER_KEY) },
      ),
    },
  },
  {
    area: 'bindings',
    strength: 'profile',
    clause: 'AWS section 2.2.2',
    refused: undefined,
    variants: { 'a public_key of zeros': documentOf({ public_key: new Uint8Array(32) }) },
  },
  {
    area: 'bindings',
    strength: 'required',
    clause: 'AWS section 2.2.2',
    refused: 'user_data_mismatch',
    variants: {
      'no user_data': documentOf({ user_data: undefined }),
      'user_data of null': documentOf({ user_data: null }),
      'empty user_data': documentOf({ user_data: new Uint8Array(0) }),
      'the key without its label': documentOf({ user_data: USER_DATA.subarray(-32) }),
      'another key': documentOf({ user_data: flipped(USER_DATA, USER_DATA.length - 1) }),
      'another label': documentOf({ user_data: flipped(USER_DATA, 0) }),
      'a label without its zero byte': documentOf({
        user_data: concatBytes(USER_DATA.subarray(0, -33), USER_DATA.subarray(-32)),
      }),
      'user_data with a further byte': documentOf({ user_data: concatBytes(USER_DATA, hex('00')) }),
      'user_data without its last byte': documentOf({ user_data: USER_DATA.subarray(0, -1) }),
      'user_data twice': documentOf({ user_data: concatBytes(USER_DATA, USER_DATA) }),
      'user_data of 512 bytes': documentOf({ user_data: new Uint8Array(512) }),
      'the data in the nonce': {
        document: documentOf({ nonce: USER_DATA, user_data: CHALLENGE }),
        challenge: USER_DATA,
      },
    },
  },
];

export const POLICY_GROUPS: readonly Group[] = [...PCRS, ...BINDINGS];

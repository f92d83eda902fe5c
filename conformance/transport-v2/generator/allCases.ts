import type { Case } from '../suite.ts';
import { EXCHANGE_CASES } from './exchangeCases.ts';
import { HANDSHAKE_CASES } from './handshakeCases.ts';
import { RESPONSE_CASES } from './responseCases.ts';

export const CASES: readonly Case[] = [...HANDSHAKE_CASES, ...EXCHANGE_CASES, ...RESPONSE_CASES];

// How much a model thinks.
import { oneOf } from './fields.ts';

/** For each effort that clients know, one that every reasoning model accepts. */
export const EFFORTS = {
  none: 'low',
  minimal: 'low',
  low: 'low',
  medium: 'medium',
  high: 'high',
  xhigh: 'high',
  max: 'high',
  ultra: 'high',
} as const;
const NAMES = Object.keys(EFFORTS) as (keyof typeof EFFORTS)[];

export type ClientEffort = keyof typeof EFFORTS;
export type Effort = (typeof EFFORTS)[ClientEffort];

/** @throws DialectError if the value is not an effort that clients know */
export function effortAt(path: string, value: unknown): ClientEffort {
  return oneOf(path, value, NAMES);
}

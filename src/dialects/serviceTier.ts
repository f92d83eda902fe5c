// How a backend says that it processed a request.
import { fieldsOf, parseJson } from '../shared/json.ts';

/** Parsing all events twice would take far longer than this. */
const MENTIONED = /"service_tier"\s*:\s*"/;
const NAME = /^[\w.-]{1,64}$/;

/** The tier in an event of Chat Completions, or in a complete response; undefined if it does not say. */
export function serviceTierOf(json: string): string | undefined {
  if (!MENTIONED.test(json)) return undefined;
  const { service_tier: tier } = fieldsOf(parseJson(json));
  return typeof tier === 'string' && NAME.test(tier) ? tier : undefined;
}

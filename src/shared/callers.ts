// Who sends a request: an access key, by its id (accessKeys.ts), or one of these.

/** A caller that uses an API key of the backend instead of an access key. */
export const DIRECT = 'direct';
/** A caller without a valid key. */
export const UNKNOWN = 'unknown';

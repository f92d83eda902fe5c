// Refusals that are not the only reason for any case, and why.
export const REASONS: Readonly<Record<string, string>> = {};

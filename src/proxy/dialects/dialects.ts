import type { Dialect, DialectName } from '../../dialects/dialect.ts';
import { messages } from '../../dialects/messages/messages.ts';
import { responses } from '../../dialects/responses/responses.ts';

export const DIALECTS: Readonly<Record<DialectName, Dialect>> = { messages, responses };

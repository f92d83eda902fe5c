import { CODEX_REQUEST } from '../../support/responsesDialect.ts';
import { requestTarget } from '../requests.ts';

export const target = requestTarget('responses', [CODEX_REQUEST, { model: 'glm-5-2', input: 'Hello' }]);

// Requests of a dialect: each becomes a valid request of Chat Completions, or a declared error in the dialect's format.
import assert from 'node:assert/strict';
import { requestIdOf } from '../../src/dialects/dialect.ts';
import type { DialectName } from '../../src/dialects/dialect.ts';
import { DialectError } from '../../src/dialects/dialectError.ts';
import { DIALECTS } from '../../src/proxy/dialects/dialects.ts';
import { translate } from '../../src/proxy/dialects/translation.ts';
import type { BodyLimit } from '../../src/proxy/http/openaiErrors.ts';
import { fieldsOf, parseJson } from '../../src/shared/json.ts';
import { MODEL_LIST } from '../support/messagesRequests.ts';
import { jsonOf, mutate } from '../support/mutations.ts';
import type { FuzzTarget } from './target.ts';

const LIMIT: BodyLimit = {
  max: 1024 * 1024,
  error: { type: 'invalid_request_error', status: 413, message: 'Too long.', code: null },
};
const IDENTITY = { id: '0123456789abcdef'.repeat(2), createdAt: 1_700_000_000, seal: (text: string) => text };
const ROLES: readonly unknown[] = ['system', 'developer', 'user', 'assistant', 'tool'];

export function requestTarget(dialect: DialectName, seeds: readonly object[]): FuzzTarget {
  return {
    seeds: () => seeds.map((seed) => JSON.stringify(seed)),
    mutate: (input, random) => jsonOf(mutate(parseJson(input), random)),
    run: (input) => {
      const job = {
        dialect,
        body: input,
        context: { modelList: MODEL_LIST, replacementModel: 'glm-5-2' },
        limit: LIMIT,
        maxValues: 100_000,
        reasoningKey: Buffer.alloc(32, 1),
      } as const;
      const translation = translate({ ...job, purpose: 'reply' });
      const counted = translate({ ...job, purpose: 'count' });
      if (translation.kind === 'chat') {
        assert.equal(counted.kind, 'count');
        checkChat(translation.body);
        const plan = JSON.parse(translation.plan) as Parameters<(typeof DIALECTS)[DialectName]['createReply']>[0];
        const reply = DIALECTS[dialect].createReply(plan, IDENTITY);
        reply.begin();
        reply.delta({ kind: 'text', text: 'x' });
        const outcome = { finish: 'stop', usage: undefined } as const;
        if (plan.stream) reply.end(outcome);
        else JSON.parse(reply.body(outcome));
      }
      for (const { kind, ...error } of [translation, counted])
        if (kind === 'error') checkError(dialect, error as ErrorOf);
    },
  };
}

type ErrorOf = ConstructorParameters<typeof DialectError>[1] & { readonly message: string };

function checkChat(body: Uint8Array): void {
  const chat = fieldsOf(JSON.parse(Buffer.from(body).toString()));
  assert.equal(typeof chat['model'], 'string');
  const messages = chat['messages'] as readonly Readonly<Record<string, unknown>>[];
  assert.ok(messages.length > 0, 'no message');
  const open = new Set<unknown>();
  for (const { role, content, tool_calls: calls = [], tool_call_id: id } of messages) {
    assert.ok(ROLES.includes(role), String(role));
    assert.ok(content === undefined || content === null || typeof content === 'string' || Array.isArray(content));
    for (const call of calls as readonly { id: unknown; function: { name: unknown; arguments: unknown } }[]) {
      assert.ok([call.id, call.function.name, call.function.arguments].every((each) => typeof each === 'string'));
      open.add(call.id);
    }
    if (role === 'tool') assert.ok(open.has(id), 'a result without a call');
  }
}

function checkError(dialect: DialectName, { message, ...details }: ErrorOf): void {
  assert.notEqual(details.status, 500, 'an error that nobody foresaw');
  assert.ok(details.status >= 400 && details.status < 500, String(details.status));
  assert.match(message, /[.!?]$/);
  const error = new DialectError(message, details);
  const body = fieldsOf(JSON.parse(DIALECTS[dialect].errorBody(error, requestIdOf(IDENTITY.id))));
  assert.equal(fieldsOf(body['error'])['message'], message);
}

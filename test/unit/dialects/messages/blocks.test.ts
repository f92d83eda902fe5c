import assert from 'node:assert/strict';
import type { ChatDelta } from '../../../../src/dialects/chatReader.ts';
import { BlockSequence } from '../../../../src/dialects/messages/blocks.ts';

/** What the sink receives for each delta, and at the end. */
function run(...deltas: readonly ChatDelta[]): string[] {
  let text = '';
  const blocks = new BlockSequence({
    start: (index, block) => {
      text += `[${index}${block.kind === 'toolUse' ? `${block.id}/${block.name}` : block.kind}:`;
    },
    add: (index, chunk) => (text += `${index}<${chunk}>`),
    stop: (index) => (text += `${index}]`),
  });
  const take = () => {
    const taken = text;
    text = '';
    return taken;
  };
  const steps = deltas.map((delta) => {
    blocks.push(delta);
    return take();
  });
  blocks.end();
  return [...steps, take()];
}

const say = (text: string): ChatDelta => ({ kind: 'text', text });
const think = (text: string): ChatDelta => ({ kind: 'reasoning', text });
const call = (index: number): ChatDelta => ({ kind: 'toolCall', index, id: `call_${index}`, name: 'Read' });
const json = (index: number, text: string): ChatDelta => ({ kind: 'arguments', index, json: text });

describe('BlockSequence', () => {
  it('passes everything on at once, and ends a block when another one begins', () => {
    assert.deepEqual(run(think('a'), think('b'), say('c'), { kind: 'refusal', text: 'd' }, call(0), json(0, '{}')), [
      '[0thinking:0<a>',
      '0<b>',
      '0][1text:1<c>',
      '1<d>',
      '1][2call_0/Read:',
      '2<{}>',
      '2]',
    ]);
  });

  it('makes blocks of calls that follow each other, without delay', () => {
    assert.deepEqual(run(call(0), json(0, '{"a":'), json(0, '1}'), call(1), json(1, '{}'), say('x')), [
      '[0call_0/Read:',
      '0<{"a":>',
      '0<1}>',
      '0][1call_1/Read:',
      '1<{}>',
      '1][2text:2<x>',
      '2]',
    ]);
  });

  it('lets a call wait if its arguments are interleaved with those of another one', () => {
    assert.deepEqual(
      run(call(0), call(1), json(1, '{"b'), json(0, '{"a":'), say('x'), json(1, '":2}'), json(0, '"}"}'), say('y')),
      ['[0call_0/Read:', '', '', '0<{"a":>', '', '', '0<"}"}>0][1call_1/Read:1<{"b>1<":2}>1][2text:2<x>', '2<y>', '2]'],
    );
  });

  it('keeps calls without arguments, or with broken ones, until the end', () => {
    assert.deepEqual(run(call(0), call(1), json(1, '{"b":')), ['[0call_0/Read:', '', '', '0][1call_1/Read:1<{"b":>1]']);
    assert.deepEqual(run(), ['']);
  });

  it('ignores spaces after the arguments of a call that has ended', () => {
    assert.deepEqual(run(call(0), json(0, '{}'), say('x'), json(0, '\n')).slice(2), ['0][1text:1<x>', '', '1]']);
  });
});

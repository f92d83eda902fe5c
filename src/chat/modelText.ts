// What the user reads about a chat model where one is chosen. Pure.
import type { ChatModel } from './models.ts';

/** For a row of a list: the context, in thousands of tokens, and what the model can do. */
export function describeModel({ maxInputTokens, maxOutputTokens, tools, images, reasoning }: ChatModel): string {
  const context = Math.round((maxInputTokens + maxOutputTokens) / 1000);
  return [
    `${context.toLocaleString('en-US')}k tokens of context`,
    tools ? 'calls tools' : 'calls no tools, so an agent cannot read or change files with it',
    ...(images ? ['reads images'] : []),
    ...(reasoning ? ['reasons'] : []),
  ].join(' · ');
}

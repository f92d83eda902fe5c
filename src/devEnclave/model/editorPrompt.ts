// What VS Code's chat wraps around the words of its user, so that the model can answer those.
import { extname } from 'node:path';
import type { ChatRequest } from './chatRequest.ts';

const BEGIN = '<userRequest>';
const END = '</userRequest>';
const TITLE_REQUEST = 'Please write a brief title for the following request:';
/** The longest title, in words. */
const TITLE_WORDS = 6;

/** The user's own words in a message; the message itself if nothing is wrapped around them. */
export function userWords(message: string): string {
  const start = message.lastIndexOf(BEGIN);
  const end = message.indexOf(END, start);
  return start === -1 || end === -1 ? message : message.slice(start + BEGIN.length, end).trim();
}

/** The title that the editor asks for, or undefined for any other message. */
export function requestedTitle(message: string): string | undefined {
  const [before, request] = message.split(TITLE_REQUEST, 2);
  if (request === undefined || before?.trim() !== '') return undefined;
  return (request.match(/\S+/gu) ?? []).slice(0, TITLE_WORDS).join(' ');
}

/** How the editor names the folder in which the user works, with a space at its end. */
const FOLDER = /^I am working in a workspace with the following folders:\n- (.+)$/m;

/** The absolute path of the file that these words name, if the request says in which folder the user works. */
export function namedFile({ messages }: ChatRequest, words: string): string | undefined {
  const names = (words.match(/[\w./-]+/gu) ?? []).map((word) => word.replace(/\.$/, ''));
  const name = names.find((word) => extname(word).length > 1 && !word.startsWith('/'));
  const folder = messages.map(({ text }) => FOLDER.exec(text)?.[1]?.trim()).find((found) => found !== undefined);
  return name === undefined || folder === undefined ? undefined : `${folder}/${name}`;
}

// Bodies of chat requests. A message that starts with `/` controls the model of the development enclave.
export const MODEL = 'glm-5-2';
/** A model without reasoning. */
export const PLAIN_MODEL = 'llama3-3-70b';

/** The JSON of a chat request with one message. */
export function chatBody(content: string, fields: object = {}): string {
  return JSON.stringify({ model: PLAIN_MODEL, messages: [{ role: 'user', content }], ...fields });
}

/** A chat request whose JSON is exactly this many bytes long. */
export function chatBodyOf(length: number, content: string): Buffer {
  const body = Buffer.alloc(length, 'x');
  const start = chatBody(content, { filler: '' }).slice(0, -2);
  body.write(start);
  body.write('"}', length - 2);
  return body;
}

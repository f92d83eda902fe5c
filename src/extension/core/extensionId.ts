/** The editor's ID of the extension: the publisher and the name in package.json. */
export const EXTENSION_ID = 'sealed-proxy.sealed-proxy';

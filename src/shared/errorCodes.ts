/** The code of an error with which the proxy refuses a request because of its own limits. */
export const PROXY_BUSY = 'proxy_busy';

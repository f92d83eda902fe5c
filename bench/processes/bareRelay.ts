// The baseline: a relay made of Node's http and undici's dispatch, without encryption and without checks.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Pool } from 'undici';

const upstream = new Pool(process.argv[2] ?? '', { headersTimeout: 0, bodyTimeout: 0, pipelining: 1, allowH2: false });

const server = createServer({ requestTimeout: 0 }, (req, res) => {
  const { 'content-type': type = '', authorization = '' } = req.headers;
  const options = {
    path: req.url ?? '/',
    method: req.method as 'POST',
    headers: { 'content-type': type, authorization },
  };
  upstream.dispatch(
    { ...options, body: req.method === 'GET' ? null : req },
    {
      onRequestStart: () => undefined,
      onResponseStart: (_controller, status, headers) => {
        res.writeHead(status, headers);
      },
      onResponseData: (controller, chunk) => {
        if (res.write(chunk)) return;
        controller.pause();
        res.once('drain', () => {
          controller.resume();
        });
      },
      onResponseEnd: () => {
        res.end();
      },
      onResponseError: () => {
        res.destroy();
      },
    },
  );
});
server.listen(0, '127.0.0.1', () => {
  console.log(`bare relay listening on http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});

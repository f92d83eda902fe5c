import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { AttestationError } from '../../../src/attestation/errors.ts';
import { DEVELOPMENT_PCR0 } from '../../../src/devEnclave/attestation/document.ts';
import { describeFaults } from '../../../src/devEnclave/faults/faults.ts';
import { RecordStream } from '../../../src/session/recordStream.ts';
import type { Session } from '../../../src/session/session.ts';
import { toHex } from '../../../src/shared/bytes.ts';
import { collect, connect, openAnswer, outerHeaders, seal, sendRecord } from '../../support/devEnclave/client.ts';
import type { SealedCall } from '../../support/devEnclave/client.ts';
import { useEnclaves } from '../../support/devEnclave/fixture.ts';
import { DEADLINE, withTimeout } from '../../support/withTimeout.ts';

const CHAT = Buffer.from(
  JSON.stringify({ model: 'llama3-3-70b', stream: true, messages: [{ role: 'user', content: 'a b' }] }),
);
const CONTRACT = 'x-opensecret-error-contract';
const CODE = 'x-opensecret-error-code';

/** Every fault that has a test here. */
const tested = new Set<string>();

describe('Faults of the development enclave', () => {
  const start = useEnclaves();

  describe('in the handshake', () => {
    const rejections: [string, string, string?][] = [
      ['wrong-nonce', 'attestation_refused', 'nonce_mismatch'],
      ['wrong-user-data', 'attestation_refused', 'user_data_mismatch'],
      ['wrong-public-key', 'session_id_mismatch'],
      ['short-public-key', 'attestation_refused', 'public_key_mismatch'],
      ['low-order-key', 'weak_public_key'],
      ['garbage-document', 'attestation_refused', 'malformed_document'],
      ['bad-base64', 'handshake_malformed'],
      ['wrong-session-id', 'session_id_mismatch'],
      ['wrong-version', 'handshake_malformed'],
      ['wrong-lifetime', 'handshake_malformed'],
      ['extra-field', 'handshake_malformed'],
      ['missing-field', 'handshake_malformed'],
      ['handshake-wrong-type', 'handshake_malformed'],
      ['double-content-type', 'handshake_malformed'],
      ['handshake-redirect', 'handshake_status'],
      ['handshake-500', 'handshake_unavailable'],
      ['handshake-oversize', 'handshake_malformed'],
      ['handshake-reset', 'network'],
      ['handshake-cut', 'network'],
    ];
    for (const [fault, code, cause] of rejections) {
      tested.add(fault);
      it(`${fault} is rejected as ${cause ?? code}, and the next handshake succeeds`, async () => {
        const enclave = await start({ faults: `${fault}:1` });
        await refusesHandshake(connect(enclave.url), code, cause);
        assert.equal((await connect(enclave.url)).attestation.kind, 'development');
      });
    }

    tested.add('handshake-hang');
    it('handshake-hang never responds', async () => {
      const enclave = await start({ faults: 'handshake-hang' });
      await refusesHandshake(connect(enclave.url, { kind: 'development' }, 50), 'timeout');
    });

    const signedRejections: [string, string][] = [
      ['expired-certificate', 'certificate_expired'],
      ['untrusted-root', 'untrusted_root'],
      ['debug-pcr0', 'debug_mode'],
      ['bad-signature', 'signature'],
      ['unsigned-document', 'malformed_document'],
    ];
    for (const [fault, cause] of signedRejections) {
      tested.add(fault);
      it(`${fault} is rejected as ${cause} by the unmodified verifier`, async () => {
        const enclave = await start({ signed: {}, faults: `${fault}:1` });
        const policy = { environment: 'development', additional: [toHex(DEVELOPMENT_PCR0)] } as const;
        const history = () => Promise.reject(new Error('The history must not be fetched'));
        const trust = { kind: 'nitro', anchors: enclave.anchors, policy, history } as const;
        await refusesHandshake(connect(enclave.url, trust), 'attestation_refused', cause);
        assert.equal((await connect(enclave.url, trust)).attestation.kind, 'verified');
      });
    }
  });

  async function begin(faults: string): Promise<{ url: string; session: Session; call: SealedCall }> {
    const { url } = await start({ faults });
    const session = await connect(url);
    return { url, session, call: seal(session, {}, CHAT) };
  }

  describe('outside of the records', () => {
    const heads: [string, number, string | undefined, string | undefined][] = [
      ['marked-session-not-found', 400, '1', 'session_not_found'],
      ['marked-decryption-failed', 400, '1', 'request_decryption_failed'],
      ['unmarked-400', 400, undefined, undefined],
      ['double-marked', 400, '1,1', 'session_not_found'],
      ['double-code', 400, '1', 'session_not_found,request_decryption_failed'],
      ['marked-unknown-code', 400, '1', 'inference_capacity'],
      ['marked-contract-2', 400, '2', 'session_not_found'],
      ['marked-503', 503, '1', 'session_not_found'],
      ['outer-413', 413, undefined, undefined],
      ['outer-415', 415, undefined, undefined],
      ['outer-503', 503, undefined, undefined],
      ['redirect', 307, undefined, undefined],
    ];
    for (const [fault, status, contract, code] of heads) {
      tested.add(fault);
      it(`${fault} sends its response, and the next request succeeds`, async () => {
        const { url, session, call } = await begin(`${fault}:1`);
        const outer = await collect(await sendRecord(url, session, call.record));
        assert.equal(outer.status, status);
        assert.equal(outer.headers[CONTRACT]?.join(), contract);
        assert.equal(outer.headers[CODE]?.join(), code);
        const next = await collect(await sendRecord(url, session, call.record));
        assert.equal(openAnswer(call.opener, next.body).status, 200);
      });
    }

    const dressed: [string, number, string[] | undefined][] = [
      ['wrong-outer-status', 201, ['application/octet-stream']],
      ['wrong-outer-type', 200, ['application/json']],
      ['parameter-outer-type', 200, ['application/octet-stream; charset=binary']],
      ['no-outer-type', 200, undefined],
      ['double-outer-type', 200, ['application/octet-stream', 'application/octet-stream']],
    ];
    for (const [fault, status, types] of dressed) {
      tested.add(fault);
      it(`${fault} changes only the outer head`, async () => {
        const { url, session, call } = await begin(fault);
        const outer = await collect(await sendRecord(url, session, call.record));
        assert.equal(outer.status, status);
        assert.deepEqual(outer.headers['content-type'], types);
        assert.equal(openAnswer(call.opener, outer.body).status, 200);
      });
    }

    for (const fault of ['reset-before-response', 'close-before-response']) {
      tested.add(fault);
      it(`${fault} breaks the connection`, async () => {
        const { url, session, call } = await begin(fault);
        await assert.rejects(sendRecord(url, session, call.record), { code: 'ECONNRESET' });
      });
    }

    tested.add('hang-before-response');
    it('hang-before-response never responds', async () => {
      const { url, session, call } = await begin('hang-before-response');
      const options = { method: 'POST', headers: outerHeaders(session), timeout: 50 };
      const request = httpRequest(`${url}/v2/request`, options).end(call.record);
      const first = await Promise.race([once(request, 'timeout').then(() => 'nothing'), once(request, 'response')]);
      assert.equal(first, 'nothing');
      request.on('error', () => undefined).destroy();
    });

    tested.add('answer-before-body');
    it('answer-before-body responds without reading the body', async () => {
      const { url, session } = await begin('answer-before-body');
      const headers = { ...outerHeaders(session), 'content-length': 50_000_000 };
      const request = httpRequest(`${url}/v2/request`, { method: 'POST', headers, agent: false });
      request.on('error', () => undefined);
      request.write(Buffer.alloc(40_000_000));
      const [message] = (await withTimeout('the answer', DEADLINE, once(request, 'response'))) as [IncomingMessage];
      assert.equal(message.statusCode, 400);
      assert.deepEqual(message.headersDistinct[CODE], ['session_not_found']);
      assert.ok(request.writableLength > 0 || request.socket?.writableLength !== 0, 'the body was read');
      request.destroy();
    });
  });

  describe('in the records', () => {
    const rejections: [string, string][] = [
      ['tampered-record', 'record_authentication'],
      ['swapped-records', 'record_authentication'],
      ['repeated-record', 'record_authentication'],
      ['dropped-record', 'record_authentication'],
      ['truncated-frame', 'truncated'],
      ['early-end', 'truncated'],
      ['missing-end', 'truncated'],
      ['bytes-after-end', 'record_order'],
      ['record-after-end', 'record_order'],
      ['second-start', 'record_order'],
      ['chunk-before-start', 'record_order'],
      ['no-start', 'record_order'],
      ['malformed-start', 'record_malformed'],
      ['oversize-frame', 'record_length'],
      ['huge-frame', 'record_length'],
      ['tiny-frame', 'record_length'],
      ['unknown-type', 'record_malformed'],
      ['end-with-content', 'record_malformed'],
      ['error-record', 'enclave_error'],
      ['error-before-start', 'record_order'],
      ['malformed-error', 'record_malformed'],
      ['another-request-id', 'record_authentication'],
    ];
    for (const [fault, code] of rejections) {
      tested.add(fault);
      it(`${fault} is rejected as ${code}`, async () => {
        const { url, session, call } = await begin(`${fault}:1`);
        const outer = await collect(await sendRecord(url, session, call.record));
        assert.equal(outer.status, 200);
        assert.throws(() => openAnswer(call.opener, outer.body), { code });
        const next = seal(session, {}, CHAT);
        const response = await collect(await sendRecord(url, session, next.record));
        assert.equal(openAnswer(next.opener, response.body).status, 200);
      });
    }

    for (const fault of ['reset-mid-response', 'close-mid-response', 'hang-mid-response']) {
      tested.add(fault);
      it(`${fault} follows the Start and one Chunk`, async () => {
        const { url, session, call } = await begin(fault);
        const message = await sendRecord(url, session, call.record);
        const opened: string[] = [];
        const stream = new RecordStream(call.opener, {
          start: () => opened.push('start'),
          chunk: () => opened.push('chunk'),
        });
        const broken =
          fault === 'hang-mid-response' ? undefined : once(message, 'end').catch((error: unknown) => error);
        message.on('data', (chunk: Buffer) => {
          stream.push(chunk);
          if (opened.length === 2) message.emit('two records');
        });
        await withTimeout('two records', DEADLINE, once(message, 'two records'));
        if (broken !== undefined) {
          assert.equal(((await withTimeout('the break', DEADLINE, broken)) as { code?: string }).code, 'ECONNRESET');
        }
        assert.deepEqual(opened, ['start', 'chunk']);
        assert.throws(() => {
          stream.finish();
        });
        message.destroy();
      });
    }

    for (const fault of ['byte-by-byte', 'one-write']) {
      tested.add(fault);
      it(`${fault} is accepted, and can be combined with a fault`, async () => {
        const { url, session, call } = await begin(`${fault},tampered-record:2`);
        const message = await sendRecord(url, session, call.record);
        const chunks: Buffer[] = [];
        message.on('data', (chunk: Buffer) => chunks.push(chunk));
        await withTimeout('the end', DEADLINE, once(message, 'end'));
        assert.equal(openAnswer(call.opener, Buffer.concat(chunks)).status, 200);
        if (fault === 'byte-by-byte') assert.ok(chunks.every(({ length }) => length === 1));
        const next = seal(session, {}, CHAT);
        const outer = await collect(await sendRecord(url, session, next.record));
        assert.throws(() => openAnswer(next.opener, outer.body), { code: 'record_authentication' });
      });
    }
  });

  it('are all tested here', () => {
    const names = describeFaults().matchAll(/^ {2}([a-z0-9-]+) /gm);
    assert.deepEqual([...names].map(([, name]) => name).sort(), [...tested].sort());
  });

  it('can be changed while the enclave runs, which restarts the counts', async () => {
    const enclave = await start({ faults: 'handshake-500' });
    await refusesHandshake(connect(enclave.url), 'handshake_unavailable');
    enclave.setFaults('handshake-500:2');
    await connect(enclave.url);
    await refusesHandshake(connect(enclave.url), 'handshake_unavailable');
    enclave.setFaults('');
    await connect(enclave.url);
  });
});

async function refusesHandshake(handshake: Promise<unknown>, code: string, cause?: string): Promise<void> {
  await assert.rejects(handshake, (error: { code?: string; cause?: unknown }) => {
    assert.equal(error.code, code);
    if (cause !== undefined) {
      assert.ok(error.cause instanceof AttestationError);
      assert.equal(error.cause.code, cause);
    }
    return true;
  });
}

// src/devEnclave: an enclave for development, demos and tests. It must never become part of the extension package, and
// no other folder imports it. Requests pass through routes/ and transport/ to the backend's API in model/; attestation/
// makes the documents, and faults/ replaces correct steps with wrong ones on demand.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { TrustAnchors } from '../attestation/trust.ts';
import { bestAead } from '../session/bestAead.ts';
import { hkdfSha256 } from '../session/hkdf.ts';
import { REQUEST_PATH, SESSION_PATH } from '../session/wire.ts';
import { makeUnsignedDocument } from './attestation/document.ts';
import type { TlsIdentity } from './attestation/tlsIdentity.ts';
import { createDocumentSigner } from './faults/documentSigner.ts';
import type { SignerOptions } from './faults/documentSigner.ts';
import { parseFaults } from './faults/faults.ts';
import type { ApiHandler } from './model/apiHandler.ts';
import { createModel } from './model/model.ts';
import { answerRequest } from './routes/requestRoute.ts';
import { answerSession } from './routes/sessionRoute.ts';
import { HttpError } from './transport/httpError.ts';
import { listenLocally } from './transport/httpServer.ts';
import type { RunningServer } from './transport/httpServer.ts';
import { Journal, recordTo } from './transport/journal.ts';
import { SessionTable } from './transport/sessionTable.ts';

export interface EnclaveOptions {
  /** Default 0: any free port. */
  readonly port?: number;
  /** Answers the decrypted requests. Default: the model of model.ts without pauses. */
  readonly handler?: ApiHandler;
  /** Which faults to inject, as `parseFaults` reads them. */
  readonly faults?: string;
  /** Sign the documents with a temporary authority. Default: send unsigned documents. */
  readonly signed?: Omit<SignerOptions, 'clock'>;
  /** Serve https. */
  readonly tls?: Pick<TlsIdentity, 'key' | 'cert'>;
  /** Milliseconds since 1970. */
  readonly clock?: () => number;
  /** False: keep no journal, so that memory does not grow and no body is hashed. */
  readonly journal?: boolean;
  /** Append a line for each request to this file. */
  readonly recordFile?: string;
}

export interface RunningEnclave extends RunningServer {
  /** Empty if the options disable it. */
  readonly journal: Journal;
  /** What a verifier of the signed documents must trust; empty if they are not signed. */
  readonly anchors: TrustAnchors;
  /** Replaces the faults and restarts both counts. */
  setFaults(list: string): void;
  /** Names this image (PCR0, 48 bytes) in signed documents from now on, as after an update of the enclave. */
  setImage(pcr0: Uint8Array): void;
  /** Forgets every session, as a restart would. */
  dropSessions(): void;
}

/**
 * Starts an enclave on 127.0.0.1.
 * @throws RangeError for unknown faults
 */
export async function startEnclave(options: EnclaveOptions = {}): Promise<RunningEnclave> {
  const { handler = createModel({ paceMs: 0 }), clock = Date.now } = options;
  const signer = options.signed && createDocumentSigner({ ...options.signed, clock });
  const journal = new Journal();
  const recorders = options.recordFile === undefined ? [] : [recordTo(options.recordFile)];
  const listeners = options.journal === false ? recorders : [journal.add, ...recorders];
  const sessions = new SessionTable(clock);
  const sessionContext = {
    primitives: { aead: bestAead(), hkdf: hkdfSha256 },
    sessions,
    makeDocument: signer?.makeDocument ?? ((bindings) => makeUnsignedDocument(bindings, clock())),
  };
  const requestContext = { sessions, handler, listeners };
  let faults = parseFaults(options.faults ?? '', signer !== undefined);

  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const path = request.url?.split('?', 1)[0];
    if (path === SESSION_PATH) {
      journal.handshakes++;
      await answerSession(sessionContext, faults.nextHandshake(), request, response);
    } else if (path === REQUEST_PATH) {
      await answerRequest(requestContext, faults.nextRequest(), request, response);
    } else {
      throw new HttpError(404, 'unknown path');
    }
  };
  const onReject = ({ url = '' }: IncomingMessage, { status, message }: HttpError) => {
    if (options.journal !== false) journal.rejections.push({ path: url, status, reason: message });
  };
  const server = await listenLocally({ port: options.port, tls: options.tls, answer, onReject });
  return {
    ...server,
    journal,
    anchors: signer?.anchors ?? { roots: [] },
    setFaults: (list) => {
      faults = parseFaults(list, signer !== undefined);
    },
    setImage: (pcr0) => {
      signer?.setImage(pcr0);
    },
    dropSessions: () => {
      sessions.clear();
    },
  };
}

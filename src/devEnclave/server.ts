// src/devEnclave: the development backend, for the demo and for tests. Never part of the extension package.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { TrustAnchors } from '../attestation/trust.ts';
import { bestAead } from '../session/aead.ts';
import { pureHkdf } from '../session/hkdf.ts';
import { REQUEST_PATH, SESSION_PATH } from '../session/wire.ts';
import { makeUnsignedDocument } from './attestation/document.ts';
import { createSigning } from './attestation/documents.ts';
import type { SigningOptions } from './attestation/documents.ts';
import { parseFaults } from './faults/faults.ts';
import { listenLocally } from './transport/httpServer.ts';
import type { RunningServer } from './transport/httpServer.ts';
import { Journal, recordTo } from './transport/journal.ts';
import type { LogicalHandler } from './model/logical.ts';
import { createModel } from './model/model.ts';
import { ClientGone, Refusal, answerRefusal } from './transport/refusal.ts';
import { answerRequest } from './routes/requestRoute.ts';
import { answerSession } from './routes/sessionRoute.ts';
import { SessionTable } from './transport/sessionTable.ts';
import type { TlsIdentity } from './attestation/tlsIdentity.ts';

export interface EnclaveOptions {
  /** 0 or nothing: any free port. */
  readonly port?: number;
  /** Who answers the logical requests; without one, the model of model.ts without pauses. */
  readonly handler?: LogicalHandler;
  /** Which lies to tell, as `parseFaults` reads them. */
  readonly faults?: string;
  /** Sign the documents with a throwaway authority; without it they are unsigned. */
  readonly signed?: Omit<SigningOptions, 'clock'>;
  /** Speak https. */
  readonly tls?: Pick<TlsIdentity, 'key' | 'cert'>;
  /** Milliseconds since 1970. */
  readonly clock?: () => number;
  /** False: keep no journal, so that nothing grows and no body is hashed. */
  readonly journal?: boolean;
  /** Append a line for each logical request to this file. */
  readonly recordFile?: string;
}

export interface RunningEnclave extends RunningServer {
  /** Empty if none is kept. */
  readonly journal: Journal;
  /** What a verifier of the signed documents must trust; nothing, if they are not signed. */
  readonly anchors: TrustAnchors;
  /** Tells these lies from now on, in place of those before; both counts start anew. */
  setFaults(list: string): void;
  /** Forgets every session, as a restart would. */
  dropSessions(): void;
}

/**
 * Starts an enclave on 127.0.0.1.
 * @throws RangeError for faults that there are not
 */
export async function startEnclave(options: EnclaveOptions = {}): Promise<RunningEnclave> {
  const { handler = createModel({ paceMs: 0 }), clock = Date.now } = options;
  const signing = options.signed && createSigning({ ...options.signed, clock });
  const journal = new Journal();
  const recorders = options.recordFile === undefined ? [] : [recordTo(options.recordFile)];
  const listeners = options.journal === false ? recorders : [journal.add, ...recorders];
  const sessions = new SessionTable(clock);
  const sessionContext = {
    primitives: { aead: bestAead(), hkdf: pureHkdf },
    sessions,
    makeDocument: signing?.makeDocument ?? ((claims) => makeUnsignedDocument(claims, clock())),
  };
  const requestContext = { sessions, handler, listeners };
  let faults = parseFaults(options.faults ?? '', signing !== undefined);

  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const path = request.url?.split('?', 1)[0];
    if (path === SESSION_PATH) {
      journal.handshakes++;
      await answerSession(sessionContext, faults.nextHandshake(), request, response);
    } else if (path === REQUEST_PATH) {
      await answerRequest(requestContext, faults.nextRequest(), request, response);
    } else {
      throw new Refusal(404, 'there is nothing at this path');
    }
  };
  const server = await listenLocally(options.port ?? 0, options.tls, (request, response) => {
    answer(request, response).catch((error: unknown) => {
      if (error instanceof Refusal) {
        if (options.journal !== false)
          journal.refusals.push({ path: request.url ?? '', status: error.status, reason: error.message });
        answerRefusal(request, response, error);
      } else if (!(error instanceof ClientGone)) {
        console.error(error);
        response.destroy();
      }
    });
  });
  return {
    ...server,
    journal,
    anchors: signing?.anchors ?? { roots: [] },
    setFaults: (list) => {
      faults = parseFaults(list, signing !== undefined);
    },
    dropSessions: () => {
      sessions.clear();
    },
  };
}

// The record of test/vscode/otherVendor: what the editor has given to another vendor's models.
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Scope } from '../e2e/scope.ts';

/** One line of the record. */
export interface OtherVendorRequest {
  /** `count`: the editor only had its tokens counted. */
  readonly kind: 'request' | 'count';
  /** The id of the model. */
  readonly model: string;
  /** The text of each part of each message. */
  readonly texts: readonly string[];
  /** The `modelOptions` of the request. */
  readonly options: object;
  /** The id of the extension that sent the request; empty if unknown. */
  readonly initiator: string;
}

/** Start the editor with `env`, and install OTHER_VENDOR_VSIX before its first window opens. */
export class OtherVendor {
  readonly #path: string;

  constructor(scope: Scope) {
    const folder = mkdtempSync(join(tmpdir(), 'sealed-proxy-other-vendor-'));
    scope.onClose(async () => rm(folder, { recursive: true }));
    this.#path = join(folder, 'requests.jsonl');
    writeFileSync(this.#path, '');
  }

  /** Additional environment variables of the editor. */
  get env(): Readonly<Record<string, string>> {
    return { OTHER_VENDOR_LOG: this.#path };
  }

  /** Everything that the other vendor has been given, in order. */
  requests(): OtherVendorRequest[] {
    const lines = readFileSync(this.#path, 'utf8').split('\n');
    return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as OtherVendorRequest);
  }
}

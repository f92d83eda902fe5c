// A home folder in which assistants are configured.
import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Assistant, AssistantEndpoint, Expected } from '../../src/assistants/adapters/assistant.ts';
import type { Applied, Change } from '../../src/assistants/files/change.ts';
import { KEY, URL, endpointFor } from './assistantFiles.ts';

export class AssistantHome {
  readonly path = mkdtempSync(join(tmpdir(), 'sealed-proxy-home-'));

  get endpoint(): AssistantEndpoint {
    return endpointFor(this.path);
  }

  get expected(): Expected {
    return { home: this.path, baseUrl: URL, key: KEY };
  }

  pathOf(file: string): string {
    return join(this.path, file);
  }

  read(file: string): string {
    return readFileSync(this.pathOf(file), 'utf8');
  }

  /** Writes a file. Creates its folders. */
  write(file: string, text: string, mode = 0o600): void {
    mkdirSync(dirname(this.pathOf(file)), { recursive: true });
    writeFileSync(this.pathOf(file), text);
    chmodSync(this.pathOf(file), mode);
  }

  async plan(assistant: Assistant, endpoint = this.endpoint): Promise<Change> {
    const plan = await assistant.plan(endpoint);
    assert.ok(plan.kind === 'change', JSON.stringify(plan));
    return plan;
  }

  async connect(assistant: Assistant, endpoint = this.endpoint): Promise<Applied> {
    return apply(assistant, await this.plan(assistant, endpoint));
  }

  remove(): void {
    rmSync(this.path, { recursive: true });
  }
}

/** Makes a change, which must succeed. */
export async function apply(assistant: Assistant, change: Change): Promise<Applied> {
  const result = await assistant.apply(change);
  assert.ok(result.kind === 'applied', JSON.stringify(result));
  return result;
}

/** A new home folder for each test, which `home()` returns. */
export function perTestHome(): () => AssistantHome {
  let home: AssistantHome;
  beforeEach(() => {
    home = new AssistantHome();
  });
  afterEach(() => {
    home.remove();
  });
  return () => home;
}

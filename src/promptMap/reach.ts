// What a request to the address of our proxy reaches now. Pure.
import { describeStatus } from '../presentation/statusText.ts';
import { isAttested } from '../settings/rules.ts';
import type { ProxyStatus } from '../shared/status.ts';

export type Reach =
  /** A verified enclave, and nothing else: the backend must be attested. */
  | { readonly kind: 'enclave' }
  /** A development backend, which is not verified. */
  | { readonly kind: 'development' }
  /**
   * Nothing: requests fail. `why` is a sentence for the user. `offHere`: the proxy is off in this window only, and another
   * window may run it.
   */
  | { readonly kind: 'nothing'; readonly why: string; readonly cause?: 'noKey' | 'offHere' }
  /** Another program, which listens on the address. */
  | { readonly kind: 'otherProgram'; readonly port: number }
  /** The proxy of another window, which runs another version or has other settings. */
  | { readonly kind: 'otherProxy'; readonly port: number };

export function reachOf(status: ProxyStatus): Reach {
  // Nothing answers on a port that is only held.
  if (status.kind === 'portTaken' && status.by !== 'silent' && status.by !== 'system')
    return { kind: 'otherProgram', port: status.port };
  if (status.kind === 'otherVersion' || status.kind === 'otherSettings')
    return { kind: 'otherProxy', port: status.port };
  // A check in progress changes nothing: without a verified session, the proxy sends nothing.
  if (status.kind === 'running' && ['connected', 'checking'].includes(status.health.kind) && !isHeldBack(status))
    return { kind: isAttested(status.backendUrl) ? 'enclave' : 'development' };
  return nothing(status);
}

/** A new image of the enclave waits for the user's consent, and there is no session with another one. */
function isHeldBack({ newImage, verified }: Extract<ProxyStatus, { kind: 'running' }>): boolean {
  return newImage !== undefined && newImage !== null && verified === null;
}

function nothing(status: ProxyStatus): Reach {
  const cause = causeOf(status);
  return { kind: 'nothing', why: describeStatus(status).headline, ...(cause && { cause }) };
}

function causeOf(status: ProxyStatus): 'noKey' | 'offHere' | undefined {
  if (status.kind === 'off') return status.allWindows === true ? undefined : 'offHere';
  return status.kind === 'running' && status.health.kind === 'noKey' ? 'noKey' : undefined;
}

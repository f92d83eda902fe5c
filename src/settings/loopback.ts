import { BlockList, isIP } from 'node:net';

const loopback6 = new BlockList();
loopback6.addAddress('::1', 'ipv6');

/** The host part of a URL or a `Host` header without the brackets of an IPv6 address. */
export function withoutBrackets(host: string): string {
  return host.startsWith('[') && host.endsWith(']') ? host.slice(1, -1) : host;
}

/** True for `localhost`, 127.0.0.0/8 and ::1 (with or without brackets): names that never leave this computer. */
export function isLoopback(host: string): boolean {
  const name = withoutBrackets(host);
  const family = isIP(name);
  if (family === 0) return name.toLowerCase() === 'localhost';
  return family === 4 ? name.startsWith('127.') : loopback6.check(name, 'ipv6');
}

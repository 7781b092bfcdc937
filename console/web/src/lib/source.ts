// A source's address: the network around it, and whether it is one of a private network. Pure.

// The 16-bit groups of an IPv6 address as the server writes it (RFC 5952), or nothing.
function groups_of(address: string): string[] | undefined {
  if (!/^[0-9a-f:]+$/i.test(address) || !address.includes(':')) return undefined;
  const [head = '', tail] = address.split('::');
  const before = head ? head.split(':') : [];
  const after = tail ? tail.split(':') : [];
  if (tail === undefined) return before.length === 8 ? before : undefined;
  return [...before, ...Array<string>(Math.max(0, 8 - before.length - after.length)).fill('0'), ...after];
}

// The usual network of one customer of a provider: a /64 of IPv6; of IPv4 the /24 that the address is in.
export function network_around(address: string): string {
  if (/^\d+\.\d+\.\d+\.\d+$/.test(address)) return `${address.replace(/\d+$/, '0')}/24`;
  const groups = groups_of(address);
  return groups ? `${groups.slice(0, 4).map((group) => parseInt(group, 16).toString(16)).join(':').replace(/(:0)+$/, '')}::/64` : '';
}

// Private, loopback and link-local addresses (RFC 1918, 4193, 4291, 3927, 6598): behind one may stand a proxy, and everybody with it.
export function is_private(address: string): boolean {
  const v4 = /^(\d+)\.(\d+)\./.exec(address);
  if (v4) {
    const [a, b] = [Number(v4[1]), Number(v4[2])];
    return a === 10 || a === 127 || (a === 172 && b >= 16 && b < 32) || (a === 192 && b === 168) || (a === 169 && b === 254) || (a === 100 && b >= 64 && b < 128);
  }
  return address === '::1' || /^f[cd]|^fe[89ab]/i.test(address);
}

const loopback = ['localhost', '127.0.0.1', '[::1]'];

/**
 * Values of `Host` that name the console. A page of another name that resolves to this address (DNS rebinding) has its own
 * name in `Host`. A console on a loopback address has all names of the loopback, none of which a stranger can own.
 */
export function listHosts(origin: string): ReadonlySet<string> {
  const { protocol, hostname, port } = new URL(origin);
  const names = loopback.includes(hostname) ? loopback : [hostname];
  if (port !== '') return new Set(names.map((name) => `${name}:${port}`));
  const defaultPort = protocol === 'https:' ? 443 : 80;
  return new Set(names.flatMap((name) => [name, `${name}:${defaultPort}`]));
}

/** The address that is given, if it is one, else the fallback. A path is one of this page's origin. */
export function addressOf(given: unknown, fallback: string): string {
  const address = (typeof given === 'string' && given.trim()) || fallback;
  return address.startsWith('/') ? location.origin + address : address;
}

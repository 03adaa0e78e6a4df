/** The given address; the fallback if it is blank or not a text. A path is taken below the page's origin. */
export function resolveAddress(option: unknown, fallback: string): string {
  const address = (typeof option === 'string' && option.trim()) || fallback;
  return address.startsWith('/') ? location.origin + address : address;
}

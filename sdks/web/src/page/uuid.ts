/** Version 4. `crypto.randomUUID` is not there on pages without TLS. */
export function uuid(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(32));
  let at = 0;
  return 'xxxxxxxx-xxxx-4xxx-8xxx-xxxxxxxxxxxx'.replace(/x/g, () => ((bytes[at++] ?? 0) % 16).toString(16));
}

/** A new version 4 UUID. Pages without TLS, and Firefox before 95, lack `crypto.randomUUID`. */
export const uuid = (): string =>
  (crypto as Partial<Crypto>).randomUUID?.() ??
  'xxxxxxxx-xxxx-4xxx-8xxx-xxxxxxxxxxxx'.replace(/x/g, () =>
    ((crypto.getRandomValues(new Uint8Array(1))[0] ?? 0) % 16).toString(16),
  );

/** Returns undefined if `work` throws. Browsers can refuse cookies and storage at any moment. */
export function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

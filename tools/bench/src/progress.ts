const startedAt = performance.now();

/** Reports a step and its time on stderr; stdout is for the result. */
export function progress(step: string): void {
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(0).padStart(4);
  process.stderr.write(`${seconds} s  ${step}\n`);
}

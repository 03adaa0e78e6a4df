/** Reads the options of a command; if they are wrong, says why, shows the usage and exits with 2. */
export function optionsOrExit<T>(read: () => T, usage: string): T {
  try {
    return read();
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${usage}`);
    process.exit(2);
  }
}

/** Prints the outcome of a run. Returns the exit code. */
export function reported(outcome: string, isGood: boolean): number {
  console.log(`\n${outcome}\n`);
  console.log(
    isGood ? 'Every message is stored once, or was reported.' : 'FAILED: see lost, doubled and waiting above.',
  );
  return isGood ? 0 : 1;
}

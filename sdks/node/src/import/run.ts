import { ImportError } from './import-error.js';
import { importFile } from './import-file.js';
import { readImportOptions, usage } from './options.js';
import { type Progress, reportFile } from './progress.js';

interface Output {
  /** `out` writes a line of the result, `err` one of progress and errors. */
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
}

/** Runs the command `sluice`. Resolves with the exit code. */
export async function runImport(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  { out, err }: Output,
): Promise<number> {
  const [command, ...importArgs] = args;
  if (command === undefined || command === 'help' || args.includes('--help')) {
    out(usage);
    return command === undefined ? 2 : 0;
  }
  try {
    if (command !== 'import') throw new ImportError(`there is no command '${command}'; there is import`);
    const options = readImportOptions(importArgs, env);
    const beganAt = performance.now();
    const result = await importFile(options, (progress) =>
      err(`${describe(progress)}, ${Math.round((performance.now() - beganAt) / 1_000)} s`),
    );
    const report = result.refused + result.partly > 0 ? `\nLines and reasons: ${reportFile(options.file)}` : '';
    out(`${result.stored} messages stored, ${result.partly} of them in part, ${result.refused} refused.${report}`);
    if (result.refused > 0) throw new ImportError(`${result.refused} lines were refused`);
    return 0;
  } catch (error) {
    if (!(error instanceof ImportError)) throw error;
    err(`error: ${error.message}`);
    return 1;
  }
}

function describe({ position, bytes, stored, refused }: Progress): string {
  const percent = bytes === 0 ? 100 : Math.floor((100 * position) / bytes);
  return `${percent} %, ${stored} messages stored, ${refused} refused`;
}

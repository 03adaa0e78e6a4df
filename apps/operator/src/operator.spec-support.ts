import { expect, vi } from 'vitest';
import { runCommandLine } from './run-command-line.js';

export interface Answer {
  exitCode: number;
  stdout: string;
  stderr: string;
}

/** Runs a command line in this process; resolves with its output and its exit code. */
export async function operator(...args: string[]): Promise<Answer> {
  const output = { stdout: '', stderr: '' };
  const spies = (['stdout', 'stderr'] as const).map((stream) =>
    vi.spyOn(process[stream], 'write').mockImplementation((chunk) => {
      output[stream] += String(chunk);
      return true;
    }),
  );
  try {
    return { exitCode: await runCommandLine(args), ...output };
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
}

/** Runs a command with --json, and returns the value that it prints. */
export async function json<T>(...args: string[]): Promise<T> {
  const answer = await operator(...args, '--json');
  expect(answer).toMatchObject({ exitCode: 0, stderr: '' });
  return JSON.parse(answer.stdout) as T;
}

import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { OperationError } from '@sluice/operations';
import { parsePlan, type Plan, PlanError } from '@sluice/plans';

/** Reads JSON; `-` is standard input. @throws OperationError */
export async function readJson(file: string): Promise<unknown> {
  const content = await contentOf(file);
  try {
    return JSON.parse(content);
  } catch (error) {
    throw new OperationError(`${file} is not JSON: ${(error as Error).message}`);
  }
}

async function contentOf(file: string): Promise<string> {
  try {
    return file === '-' ? await text(process.stdin) : await readFile(file, 'utf8');
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException;
    throw new OperationError(code === 'ENOENT' ? `There is no file ${file}` : `${file} cannot be read: ${code}`);
  }
}

/** Reads a plan of our own form. @throws OperationError that names each wrong member. */
export const readPlan = async (file: string): Promise<Plan> => {
  const value = await readJson(file);
  return planOf(file, () => parsePlan(value));
};

/** @throws OperationError in place of a PlanError. */
export function planOf(file: string, make: () => Plan): Plan {
  try {
    return make();
  } catch (error) {
    if (!(error instanceof PlanError)) throw error;
    throw new OperationError(`${file} is not a plan that can be imported:\n${indented(error.message)}`);
  }
}

const indented = (lines: string): string => lines.replace(/^/gm, '  ');

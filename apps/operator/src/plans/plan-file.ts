import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { OperationError, requirePlan } from '@sluice/operations';
import { parsePlan, type Plan } from '@sluice/plans';

/** Reads JSON; `-` is standard input. @throws OperationError */
export async function readJsonFile(file: string): Promise<unknown> {
  const content = await readContent(file);
  try {
    return JSON.parse(content);
  } catch (error) {
    throw new OperationError(`${file} is not JSON: ${(error as Error).message}`);
  }
}

async function readContent(file: string): Promise<string> {
  try {
    return file === '-' ? await text(process.stdin) : await readFile(file, 'utf8');
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException;
    throw new OperationError(code === 'ENOENT' ? `There is no file ${file}` : `${file} cannot be read: ${code}`);
  }
}

/** Reads a plan of our own form. @throws OperationError that names each wrong member. */
export const readPlan = async (file: string): Promise<Plan> => {
  const value = await readJsonFile(file);
  return requirePlan(file, () => parsePlan(value));
};

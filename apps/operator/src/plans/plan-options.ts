import { OperationError } from '@sluice/operations';
import { isPlanMode, isPlanVersion, type PlanMode, planModes } from '@sluice/plans';

/** @throws OperationError that names the option. */
export function parseVersion(option: string, text: string): number {
  const version = Number(text);
  if (/^\d+$/.test(text) && isPlanVersion(version)) return version;
  throw new OperationError(`${option} must be the version of a plan, such as 3; it is '${text}'`);
}

/** Versions with commas between. @throws OperationError */
export const parseVersions = (option: string, text: string): number[] =>
  text.split(',').map((part) => parseVersion(option, part.trim()));

/** @throws OperationError */
export function parseMode(text: string): PlanMode {
  if (isPlanMode(text)) return text;
  throw new OperationError(`--mode must be one of ${planModes.join(', ')}; it is '${text}'`);
}

const maxDays = 90;

/** @throws OperationError */
export function parseDays(text: string): number {
  const days = Number(text);
  if (Number.isInteger(days) && days >= 1 && days <= maxDays) return days;
  throw new OperationError(`--days must be a whole number from 1 to ${maxDays}; it is '${text}'`);
}

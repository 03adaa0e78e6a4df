import { type SourceType, sourceTypes } from '@sluice/sources';
import { OperatorError } from '../errors.js';

const maxNameLength = 100;

/** @throws OperatorError unless it is 1 to 100 characters that can be shown. */
export function parseName(text: string): string {
  const name = text.trim();
  if (name === '') throw new OperatorError('--name must not be blank');
  if (Array.from(name).length > maxNameLength)
    throw new OperatorError(`--name must have at most ${maxNameLength} characters`);
  // Control characters would also act on the terminal that lists them.
  if (/\p{Cc}/u.test(name) || !name.isWellFormed()) throw new OperatorError('--name must not have control characters');
  return name;
}

/** @throws OperatorError that names the allowed types. */
export function parseType(text: string): SourceType {
  const type = sourceTypes.find((one) => one === text);
  if (type === undefined) throw new OperatorError(`--type must be one of ${sourceTypes.join(', ')}; it is '${text}'`);
  return type;
}

import { OperationError } from '@sluice/operations';
import { fromAmplitude } from './amplitude.js';
import { type ToItems } from './format.js';
import { fromMixpanel } from './mixpanel.js';
import { fromPosthog } from './posthog.js';
import { fromSegment } from './segment.js';

/** The systems whose exports can be imported. */
export const formats = {
  segment: fromSegment,
  posthog: fromPosthog,
  mixpanel: fromMixpanel,
  amplitude: fromAmplitude,
} as const satisfies Record<string, ToItems>;
export type FormatName = keyof typeof formats;
export const formatNames = Object.keys(formats) as FormatName[];

/** @throws OperationError */
export function parseFormat(text: string): FormatName {
  const found = formatNames.find((name) => name === text);
  if (!found) throw new OperationError(`--from must be one of ${formatNames.join(', ')}; it is '${text}'`);
  return found;
}

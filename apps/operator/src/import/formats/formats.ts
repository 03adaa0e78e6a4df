import { OperationError } from '@sluice/operations';
import { fromAmplitude } from './amplitude.js';
import { type ToItems } from './format.js';
import { fromMixpanel } from './mixpanel.js';
import { fromPosthog } from './posthog.js';
import { fromSegment } from './segment.js';

/** The systems whose exports can be imported. */
export const importFormats = {
  segment: fromSegment,
  posthog: fromPosthog,
  mixpanel: fromMixpanel(undefined),
  amplitude: fromAmplitude,
} as const satisfies Record<string, ToItems>;
export type FormatName = keyof typeof importFormats;
export const formatNames = Object.keys(importFormats) as FormatName[];

/**
 * The format of a system whose times are in this zone; undefined if they are in UTC.
 * @throws OperationError if the zone does not exist, or the system writes UTC
 */
export function chooseFormat(name: FormatName, timezone: string | undefined): ToItems {
  if (timezone === undefined) return importFormats[name];
  if (name !== 'mixpanel') throw new OperationError(`--timezone is for mixpanel; the times of ${name} are in UTC`);
  try {
    return fromMixpanel(timezone);
  } catch {
    throw new OperationError(`--timezone must be a name such as Europe/Berlin; it is '${timezone}'`);
  }
}

/** @throws OperationError */
export function parseFormat(text: string): FormatName {
  const format = formatNames.find((name) => name === text);
  if (!format) throw new OperationError(`--from must be one of ${formatNames.join(', ')}; it is '${text}'`);
  return format;
}

import { fieldFormats } from '@sluice/contracts';

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const day = /^\d{4}-\d\d-\d\d$/;
const scheme = /^[a-z][a-z0-9+.-]{0,31}:/i;
const maxAddressLength = 320;

/** Whether the day exists: 2024-02-30 does not. */
function isDay(text: string): boolean {
  if (!day.test(text)) return false;
  const time = Date.parse(`${text}T00:00:00.000Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

/** Whether the text has the form of an address: one @, no white space, and a domain with a dot. */
function isAddress(text: string): boolean {
  if (text.length > maxAddressLength || /\s/.test(text)) return false;
  const atIndex = text.indexOf('@');
  const dot = text.lastIndexOf('.');
  return atIndex > 0 && atIndex === text.lastIndexOf('@') && dot > atIndex + 1 && dot < text.length - 1;
}

/** Checks by the names that a plan uses. Each takes linear time, because it runs on what clients send. */
export const valueFormats: ReadonlyMap<string, (text: string) => boolean> = new Map([
  ['date-time', fieldFormats.string['date-time']],
  ['date', isDay],
  ['email', isAddress],
  ['uri', (text) => scheme.test(text) && URL.canParse(text)],
  ['uuid', (text) => uuid.test(text)],
]);

import { type NavigateOptions } from '@tanstack/react-router';

export type Place = NavigateOptions;

const requestId = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const sourceIdentifier = /^[A-Za-z0-9]{12}$/;
const letterId = /^[a-z0-9.-]+:\d+:\d+(:\d+|@\d+)?$/;

/** The page of what a text names; undefined for no text. */
export function placeOf(text: string): Place | undefined {
  if (text === '') return undefined;
  if (requestId.test(text)) return { to: '/requests/$id', params: { id: text.toLowerCase() } };
  if (letterId.test(text)) return { to: '/dead-letters/$id', params: { id: text } };
  if (sourceIdentifier.test(text)) return { to: '/sources/$id', params: { id: text } };
  return { to: '/live', search: { user: text } };
}

import { type NavigateOptions } from '@tanstack/react-router';

/** Request ids are UUIDs of version 7; ids of people usually are not. */
const requestId = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const letterId = /^[a-z0-9.-]+:\d+:\d+(:\d+|@\d+)?$/;

/** Page of an id that names one thing; of any other text, the results of a search. Undefined for no text. */
export function findSearchPlace(text: string): NavigateOptions | undefined {
  if (text === '') return undefined;
  if (requestId.test(text)) return { to: '/requests/$id', params: { id: text.toLowerCase() } };
  if (letterId.test(text)) return { to: '/dead-letters/$id', params: { id: text } };
  return { to: '/search', search: { q: text } };
}

import { type SamplePlace } from '@sluice/operations';

/** Start of the next page of samples; claims are a separate list. Undefined for a list that has ended. */
export interface SampleCursor {
  own: SamplePlace | undefined;
  claims: SamplePlace | undefined;
}

const placeShape = /^(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}) ([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}) ([a-z]+)$/;

/** Null after the last page. */
export function formatCursor({ own: ownPlace, claims }: SampleCursor): string | null {
  const formatPlace = (place: SamplePlace | undefined): string =>
    place ? `${place.time} ${place.requestId} ${place.kind}` : '';
  return ownPlace || claims ? `${formatPlace(ownPlace)},${formatPlace(claims)}` : null;
}

/** Undefined for a text that is not a cursor. */
export function parseCursor(text: string): SampleCursor | undefined {
  const parts = text.split(',');
  const [ownPlace, claims] = parts.map(parsePlace);
  const isWhole =
    parts.length === 2 && parts.every((part, index) => part === '' || [ownPlace, claims][index] !== undefined);
  return isWhole && (ownPlace ?? claims) ? { own: ownPlace, claims } : undefined;
}

function parsePlace(text: string): SamplePlace | undefined {
  const [, time, requestId, kind] = placeShape.exec(text) ?? [];
  return time === undefined || requestId === undefined || kind === undefined ? undefined : { time, requestId, kind };
}

/** Place in samples that are ordered by time, request and kind, newest first. */
export interface SamplePlace {
  at: string;
  requestId: string;
  kind: string;
}

/** Start of the next page of samples; claims are a separate list. Undefined for a list that has ended. */
export interface SampleCursor {
  own: SamplePlace | undefined;
  claims: SamplePlace | undefined;
}

const place = /^(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}) ([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}) ([a-z]+)$/;

export const pickPlace = ({ at, requestId, kind }: SamplePlace): SamplePlace => ({ at, requestId, kind });

export function formatCursor({ own: ownPlace, claims }: SampleCursor): string | null {
  const formatPlace = (samplePlace: SamplePlace | undefined): string =>
    samplePlace ? `${samplePlace.at} ${samplePlace.requestId} ${samplePlace.kind}` : '';
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
  const [, at, requestId, kind] = place.exec(text) ?? [];
  return at === undefined || requestId === undefined || kind === undefined ? undefined : { at, requestId, kind };
}

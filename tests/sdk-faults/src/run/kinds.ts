/** Kinds of faults, with the names under which the run counts them. */
const kinds = {
  'answer cut after the request was forwarded': ['cutAfter', 'cutMidAnswer', 'resetAfter', 'gatewayTimeout'],
  'connection reset or cut before': ['cutBefore', 'resetBefore', 'no service for a while'],
  'offline in the midst of a request': ['cutMidRequest', 'offline in mid-request'],
  '5xx, up to an hour': ['unavailable', 'badGateway', '5xx for a while', '5xx for an hour'],
  '429 with Retry-After': ['rateLimited'],
  'silence or delay': ['silence', 'silenceAfter', 'delay'],
  'page, app or process killed': [
    ...(['tab killed', 'all tabs killed at once', 'app killed', 'app killed ten times at its start'] as const),
    ...(['process killed', 'all processes of a directory killed'] as const),
  ],
  'browser killed': ['browser killed'],
  'reload storm': ['reload storm'],
  'many clients of a store at once': ['eight tabs at once', 'eight tabs', 'four processes at once'],
  'storage full': ['storage full', 'disk full'],
  'clock set by up to a day': ['clock set by up to a day'],
  'key revoked and restored': ['key revoked for a while'],
  'batch refused for its size': ['tooLarge', 'foreignTooLarge', '413 for over 1.5 KB for a while'],
  'page or redirect of a portal': ['portal', 'portalRedirect', 'portal for a while'],
} as const satisfies Record<string, readonly string[]>;

export type FaultKind = keyof typeof kinds;
export type FaultCounts = ReadonlyMap<string, number>;

export const sumCounts = (counts: FaultCounts): number => [...counts.values()].reduce((sum, count) => sum + count, 0);

/** Counts of the faults with these names, in the order of the names. */
const pickCounts = (faults: FaultCounts, names: readonly string[]): FaultCounts =>
  new Map([...faults].filter(([name]) => names.includes(name)).sort(([a], [b]) => (a < b ? -1 : 1)));

/** Kinds that a run draws and has not met. */
export const unmetKinds = (faults: FaultCounts, notDrawn: readonly FaultKind[]): FaultKind[] =>
  (Object.keys(kinds) as FaultKind[]).filter(
    (kind) => !notDrawn.includes(kind) && sumCounts(pickCounts(faults, kinds[kind])) === 0,
  );

/** Rows of a table: all faults, those of each kind, and the names within a kind. */
export function rowsByKind(faults: FaultCounts): [label: string, count: number][] {
  const knownNames = new Set<string>(Object.values(kinds).flat());
  const otherNames = [...faults.keys()].filter((name) => !knownNames.has(name));
  return [
    ['faults', sumCounts(faults)],
    ...Object.entries({ ...kinds, ...(otherNames.length > 0 && { others: otherNames }) }).flatMap(([kind, names]) => {
      const counts = pickCounts(faults, names);
      const within =
        counts.size > 1 ? [...counts].map(([name, count]): [string, number] => [`    ${name}`, count]) : [];
      return [[`  ${kind}`, sumCounts(counts)] as [string, number], ...within];
    }),
  ];
}

import { suppressedIdOf } from '@sluice/privacy';
import { closureOf } from './closure.js';
import { countRows, targetsOf } from './erase-rows.js';
import { type PeoplePlaces } from './eraser.js';
import { shownIdOf } from './request-erasure.js';
import { peopleOf, type PersonId } from './people.js';
import { countByKind, subjectsOf } from './sealed-ids.js';

/** What an erasure would delete now, without anything that identifies the person. */
export interface ErasurePreview {
  readonly sources: readonly string[];
  /** Source, kind and first characters of the keyed hash of each id that was asked for. */
  readonly asked: readonly string[];
  /** Numbers of ids, by kind. */
  readonly ids: Readonly<Record<string, number>>;
  readonly othersDevices: number;
  readonly rows: Readonly<Record<string, number>>;
  /** Whether ad requests are looked at. */
  readonly hasAdRequestPaths: boolean;
  /** Whether messages of one of the ids that were asked for are dropped now. */
  readonly isSuppressed: boolean;
}

export async function previewErasure(
  { servers, tables, key, suppressions }: PeoplePlaces,
  asked: readonly PersonId[],
  isReverse: boolean,
): Promise<ErasurePreview> {
  const { ids, othersDevices } = await closureOf(servers, asked, isReverse);
  const counts = await countRows(await targetsOf(servers, peopleOf(ids), tables));
  return {
    sources: [...new Set(asked.map(({ source }) => source))],
    asked: asked.map((one) => shownIdOf(key, one)),
    ids: countByKind(ids),
    othersDevices,
    rows: Object.fromEntries(Object.entries(counts).filter(([, rows]) => rows > 0)),
    hasAdRequestPaths: tables.adRequestPaths.length > 0,
    isSuppressed: subjectsOf(asked).some((one) => {
      const known = suppressions.registry.find(suppressedIdOf(key, one));
      return known !== undefined && known.until === undefined;
    }),
  };
}

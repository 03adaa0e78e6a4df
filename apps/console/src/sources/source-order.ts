import { type SourceLook, type SourceView } from '@sluice/console-api';

const hourMs = 3_600_000;
const minRefused = 20;
const minShare = 0.1;

/** Counts of a source within a time. */
export interface Activity {
  events: number;
  refused: number;
  /** Time of the newest message, also before that time, within a day; null if there is none. */
  newestReceived: string | null;
  newestStored: string | null;
}

type NamedSource = Pick<SourceView, 'name' | 'sourceIdentifier' | 'status'>;

/** Why a source needs a look: see `SourceLook`. */
export function judgeLook({ events, refused, newestReceived }: Activity, now = Date.now()): SourceLook | undefined {
  if (refused > minRefused && refused >= minShare * (refused + events))
    return events === 0 ? 'all-refused' : 'many-refused';
  return newestReceived !== null && Date.parse(newestReceived) < now - hourMs ? 'silent' : undefined;
}

/** Places of sources in their order: what is refused, what fell silent, what sends, what never did, what is disabled. */
const places = { 'all-refused': 0, 'many-refused': 1, silent: 2, sends: 3, quiet: 4, disabled: 5 };

/** Orders sources by what needs a look first; those that need none by what they send, then by name. */
export function inOrderOfLook<S extends NamedSource>(sources: readonly S[], activityOf: (id: string) => Activity): S[] {
  const now = Date.now();
  const ranked = sources.map((source) => {
    const activity = activityOf(source.sourceIdentifier);
    const isUsed = activity.events + activity.refused > 0;
    const look = judgeLook(activity, now) ?? (isUsed ? 'sends' : 'quiet');
    return { source, activity, place: places[source.status === 'disabled' ? 'disabled' : look] };
  });
  return ranked
    .sort(
      (a, b) =>
        a.place - b.place ||
        b.activity.refused - a.activity.refused ||
        b.activity.events - a.activity.events ||
        (b.activity.newestReceived ?? '').localeCompare(a.activity.newestReceived ?? '') ||
        compareNames(a.source, b.source),
    )
    .map(({ source }) => source);
}

/** Names may repeat; the identifier makes their order certain. */
export const compareNames = (a: NamedSource, b: NamedSource): number =>
  a.name.localeCompare(b.name) || a.sourceIdentifier.localeCompare(b.sourceIdentifier);

/** Whether the name or the identifier contains the text. */
export function isNamed({ name, sourceIdentifier }: NamedSource, text: string): boolean {
  const searchText = text.trim().toLowerCase();
  return name.toLowerCase().includes(searchText) || sourceIdentifier.toLowerCase().includes(searchText);
}

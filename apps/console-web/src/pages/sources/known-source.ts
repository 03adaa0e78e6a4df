import { type SourceDetail, type SourceSettings } from '@sluice/console-api';

/** A source with what ClickHouse knows of it; null as long as that is not there. */
export interface KnownSource
  extends SourceSettings, Pick<SourceDetail, 'eventsLastHour' | 'messagesToday' | 'peopleToday'> {
  /** Time of its newest message, null for none within a day; missing while it is not known. */
  newestReceived?: string | null;
}

export function withDetail(settings: SourceSettings, detail: SourceDetail | undefined): KnownSource {
  if (!detail) return { ...settings, eventsLastHour: null, messagesToday: null, peopleToday: null };
  const { eventsLastHour, messagesToday, peopleToday, newestReceived } = detail;
  const usesOf = new Map(detail.keys.map(({ keyId, lastUsedAt }) => [keyId, lastUsedAt]));
  const keys = settings.keys.map((key) => ({ ...key, lastUsedAt: usesOf.get(key.keyId) }));
  return { ...settings, keys, eventsLastHour, messagesToday, peopleToday, newestReceived };
}

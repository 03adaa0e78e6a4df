import { type DoctorCheck } from '../examination.js';
import { type Finding, well } from '../finding.js';
import { joinNames } from '../join-names.js';
import { atShard } from '../select-rows.js';
import { type ComparedTable, compareTables } from '../table-declarations.js';

/** Settings that say where and when rows are on disk, which is the operator's choice, and a setting that ClickHouse adds. */
const free: ReadonlySet<string> = new Set([
  'index_granularity',
  'storage_policy',
  'disk',
  'fsync_after_insert',
  'fsync_part_directory',
  'replicated_deduplication_window',
  'replicated_deduplication_window_seconds',
]);

export const clickhouseSettings: DoctorCheck = {
  check: 'clickhouse.settings',
  tested: 'settings and projections of the tables are those of the migrations',
  run: async ({ servers }) => {
    for (const server of servers.all) {
      const finding = judgeSettings(await compareTables(server), atShard(server));
      if (finding.verdict !== 'ok') return finding;
    }
    return well('as the migrations made them');
  },
};

export function judgeSettings(tables: readonly ComparedTable[], place: string): Finding {
  const differences = tables.flatMap(({ declared, present }) => {
    const names = new Set([...declared.settings.keys(), ...present.settings.keys()].filter((name) => !free.has(name)));
    const settings = [...names].flatMap((name) => {
      const [declaredValue, actual] = [declared.settings.get(name), present.settings.get(name)];
      return declaredValue === actual
        ? []
        : [`${declared.table}: ${name} is ${actual ?? 'the default'} and not ${declaredValue ?? 'the default'}`];
    });
    const projections = [...present.projections].filter((name) => !declared.projections.has(name));
    return [...settings, ...projections.map((name) => `${declared.table}: projection ${name}`)];
  });
  if (differences.length === 0) return well('as the migrations made them');
  return {
    verdict: 'attention',
    found: `${joinNames(differences)}${place}`,
    meaning: 'Merges, speed, or what an erasure must rewrite, are not as tested.',
    action: 'Undo it with ALTER TABLE … MODIFY SETTING, RESET SETTING or DROP PROJECTION, unless it is meant.',
  };
}

import { type TableConfig } from '@sluice/clickhouse';
import { type DoctorCheck } from '../examination.js';
import { type Finding, well } from '../finding.js';
import { joinNames } from '../join-names.js';
import { atShard } from '../select-rows.js';
import { type ComparedTable, compareTables } from '../table-declarations.js';

export const clickhouseTtls: DoctorCheck = {
  check: 'clickhouse.ttls',
  tested: 'rows stay for as long as the migrations and TABLE_TTL_DAYS say',
  run: async ({ servers, question }) => {
    for (const server of servers.all) {
      const finding = judgeTtls(await compareTables(server), question.config.TABLE_TTL_DAYS, atShard(server));
      if (finding.verdict !== 'ok') return finding;
    }
    return well('no TTL that Sluice did not make');
  },
};

export function judgeTtls(
  tables: readonly ComparedTable[],
  chosen: TableConfig['TABLE_TTL_DAYS'],
  place: string,
): Finding {
  const foreign = tables.flatMap(({ declared, present }) => {
    const days = chosen?.get(declared.table);
    const expected = typeof days === 'number' ? `toDateTime(received_at) + toIntervalDay(${days})` : declared.ttl;
    const isExpected = present.ttl === undefined || present.ttl === expected;
    return isExpected ? [] : [`${declared.table} (${present.ttl})`];
  });
  if (foreign.length === 0) return well('no TTL that Sluice did not make');
  return {
    verdict: 'fails',
    found: `a TTL that neither a migration nor TABLE_TTL_DAYS made: ${joinNames(foreign)}${place}`,
    meaning: 'ClickHouse deletes rows that are meant to stay, and a replay finds them missing and stores them again.',
    action: 'Name the days in TABLE_TTL_DAYS and run operator migrate, or ALTER TABLE … REMOVE TTL.',
  };
}

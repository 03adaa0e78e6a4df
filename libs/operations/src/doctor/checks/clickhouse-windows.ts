import { type DoctorCheck } from '../examination.js';
import { type Finding, well } from '../finding.js';
import { joinNames } from '../join-names.js';
import { atShard } from '../select-rows.js';
import { type ComparedTable, compareTables } from '../table-declarations.js';

const windowSetting = 'replicated_deduplication_window';

export const clickhouseWindows: DoctorCheck = {
  check: 'clickhouse.windows',
  tested: 'each table remembers the tokens of as many INSERTs as its migration says',
  run: async ({ servers }) => {
    let tables = 0;
    for (const server of servers.all) {
      const compared = await compareTables(server);
      const finding = judgeWindows(compared, atShard(server));
      if (finding.verdict !== 'ok') return finding;
      tables += compared.length;
    }
    return well(`${tables} tables`);
  },
};

export function judgeWindows(tables: readonly ComparedTable[], place: string): Finding {
  if (tables.length === 0)
    return { verdict: 'unknown', found: `there are no tables${place}`, meaning: '', action: 'Run operator migrate.' };
  const narrow = tables.flatMap(({ declared, present }) => {
    const [declaredWindow, actual] = [declared, present].map(({ settings }) =>
      Number(settings.get(windowSetting) ?? 0),
    );
    return (actual ?? 0) < (declaredWindow ?? 0) ? [`${declared.table} (${actual} and not ${declaredWindow})`] : [];
  });
  if (narrow.length === 0) return well(`${tables.length} tables`);
  return {
    verdict: 'fails',
    found: `the window of tokens is too small for ${joinNames(narrow)}${place}`,
    meaning: 'An INSERT that arrives late, or is repeated after that many others, is stored a second time.',
    action: `ALTER TABLE … MODIFY SETTING ${windowSetting} (non_${windowSetting} on a single server) = 10000`,
  };
}

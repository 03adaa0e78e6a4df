import { type DoctorCheck } from '../examination.js';
import { type Finding, well } from '../finding.js';
import { atShard, selectFrom } from '../select-rows.js';

const lowShare = 0.2;
const emptyShare = 0.05;

export const clickhouseDisk: DoctorCheck = {
  check: 'clickhouse.disk',
  tested: 'the disks of ClickHouse have room',
  run: async ({ servers }) => {
    const findings: Finding[] = [];
    for (const server of servers.all) {
      const disks = await selectFrom<{ name: string; share: number }>(
        server,
        `SELECT name, least(1, free_space / greatest(1, total_space)) AS share FROM system.disks WHERE is_remote = 0 ORDER BY share`,
      );
      for (const disk of disks)
        findings.push(judgeDisk(`disk ${disk.name} of ClickHouse${atShard(server)}`, disk.share));
    }
    return (
      findings.find(({ verdict }) => verdict === 'fails') ??
      findings.find(({ verdict }) => verdict !== 'ok') ??
      findings[0] ??
      well('remote disks only')
    );
  },
};

export function judgeDisk(disk: string, share: number): Finding {
  const room = `${disk}: ${(share * 100).toFixed(0)} % free`;
  if (share >= lowShare) return well(room);
  return {
    verdict: share < emptyShare ? 'fails' : 'attention',
    found: room,
    meaning:
      'Merges need as much room as the parts that they join; on a full disk INSERTs fail and data waits in Kafka.',
    action: 'Make room or a larger disk; TABLE_TTL_DAYS bounds how long rows stay.',
  };
}

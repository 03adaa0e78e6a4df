import { statfs } from 'node:fs/promises';
import { type MetricSample, nameProcess } from '../../status/scrape.js';
import { scrapeProcesses } from '../../status/processes.js';
import { type DoctorCheck } from '../examination.js';
import { type Finding, well } from '../finding.js';
import { formatCount } from '../../format-count.js';
import { joinNames } from '../join-names.js';

const lowShare = 0.2;
const emptyShare = 0.05;

/** Shares of a disk that are free: of its bytes, and of the files that it can hold. */
export interface DiskRoom {
  readonly disk: string;
  readonly bytes: number;
  readonly files: number;
}

export const spoolDisk: DoctorCheck = {
  check: 'spool.disk',
  tested: 'the disks of the gateways have room and inodes for the spool',
  run: async ({ question }) => {
    const rooms = (await scrapeProcesses(question.gateways)).flatMap(({ url, samples }) => {
      const bytes = readGauge(samples, 'sluice_spool_disk_free_ratio');
      const files = readGauge(samples, 'sluice_spool_disk_free_files_ratio');
      return bytes === undefined ? [] : [{ disk: nameProcess(url, samples, 'gateway'), bytes, files: files ?? 1 }];
    });
    const { spoolFolder } = question;
    if (spoolFolder !== undefined) rooms.push(await readRoom(spoolFolder));
    return judgeRooms(rooms, question.gateways.length);
  },
};

export function judgeRooms(rooms: readonly DiskRoom[], gateways: number): Finding {
  if (rooms.length === 0) {
    return {
      verdict: gateways === 0 ? 'attention' : 'unknown',
      found: gateways === 0 ? 'no gateway was named' : 'no gateway says how full its disk is',
      meaning: 'While Kafka is down, gateways keep what they accept on their disks; a full one answers 503.',
      action: 'Set GATEWAY_METRICS_URLS, or name --gateway http://gateway:9000/metrics',
    };
  }
  const share = ({ bytes, files }: DiskRoom): number => Math.min(bytes, files);
  const low = rooms.filter((room) => share(room) < lowShare).sort((a, b) => share(a) - share(b));
  if (low.length === 0)
    return well(
      `${formatCount(rooms.length, 'disk', 'disks')}, at least ${formatShare(Math.min(...rooms.map(share)))} free`,
    );
  return {
    verdict: low.some((room) => share(room) < emptyShare) ? 'fails' : 'attention',
    found: joinNames(
      low.map(
        ({ disk, bytes, files }) =>
          `${disk}: ${formatShare(bytes)} of its disk and ${formatShare(files)} of its inodes are free`,
      ),
    ),
    meaning: 'While Kafka is down, this gateway can keep little of what it accepts, then it answers 503.',
    action: 'Make room, or a larger volume: docs/operations.md#larger-volumes',
  };
}

const formatShare = (share: number): string => `${Math.floor(share * 100)} %`;

const readGauge = (samples: readonly MetricSample[], gauge: string): number | undefined =>
  samples.find(({ name }) => name === gauge)?.value;

async function readRoom(folder: string): Promise<DiskRoom> {
  const { bavail, blocks, ffree, files } = await statfs(folder);
  return { disk: folder, bytes: blocks === 0 ? 1 : bavail / blocks, files: files === 0 ? 1 : ffree / files };
}

import { version } from '@sluice/service';
import { nameProcess } from '../../status/scrape.js';
import { scrapeProcesses } from '../../status/processes.js';
import { type DoctorCheck } from '../examination.js';
import { well } from '../finding.js';
import { joinNames } from '../join-names.js';
import { selectFrom } from '../select-rows.js';

/** Versions of ClickHouse that the tests run: docs/releases.md. */
const testedClickHouse = ['26.7', '26.8', '26.9'];

export const processes: DoctorCheck = {
  check: 'versions',
  tested: 'processes answer and are of one version, and ClickHouse is one that is tested',
  run: async ({ question, servers }) => {
    const answers = await scrapeProcesses([...question.gateways, ...question.consumers]);
    const silent = answers.filter(({ unreachable }) => unreachable !== null);
    if (silent.length > 0) {
      return {
        verdict: 'fails',
        found: joinNames(
          silent.map(({ url, samples, unreachable }) => `${nameProcess(url, samples, 'process')}: ${unreachable}`),
        ),
        meaning: 'A process that does not answer takes or stores nothing.',
        action: 'Look at its log, or correct GATEWAY_METRICS_URLS and CONSUMER_METRICS_URLS.',
      };
    }
    const differences = answers.flatMap(({ url, samples }) => {
      const present = samples.find(({ name }) => name === 'sluice_build_info')?.labels['version'];
      return present === undefined || present === version
        ? []
        : [`${nameProcess(url, samples, 'process')} is ${present}`];
    });
    const [row] = await selectFrom<{ version: string }>(
      servers.all[0] ?? { client: servers.reader },
      'SELECT version() AS version',
    );
    const clickhouse = row?.version ?? '';
    if (!testedClickHouse.some((tested) => clickhouse.startsWith(`${tested}.`)))
      differences.push(`ClickHouse is ${clickhouse}`);
    if (differences.length === 0) return well(`${version} in ${answers.length} processes, ClickHouse ${clickhouse}`);
    return {
      verdict: 'attention',
      found: joinNames(differences),
      meaning: `This is ${version}, tested with ClickHouse ${testedClickHouse.join(', ')}; other pairs are not tested.`,
      action: 'docs/releases.md#which-versions-work-together says which go together.',
    };
  },
};

import { text } from 'node:stream/consumers';
import { type TableServer } from '../../privacy/servers.js';
import { appRights } from '../app-rights.js';
import { type DoctorCheck } from '../examination.js';
import { well } from '../finding.js';
import { joinNames } from '../join-names.js';
import { atShard } from '../select-rows.js';

export const clickhouseRights: DoctorCheck = {
  check: 'clickhouse.rights',
  tested: 'the user of ClickHouse has every right that its app needs',
  run: async ({ servers, question }) => {
    const { app, config } = question;
    for (const server of servers.all) {
      const missing = await listMissing(server, app, config.CLICKHOUSE_DATABASE);
      if (missing.length > 0) {
        return {
          verdict: 'fails',
          found: `${config.CLICKHOUSE_USER} has not the right ${joinNames(missing)}${atShard(server)}`,
          meaning: `What ${app} does with it fails with ACCESS_DENIED, perhaps only on the day when it is needed.`,
          action: `GRANT ${missing[0]} TO ${config.CLICKHOUSE_USER}: docs/rights.md`,
        };
      }
    }
    return well(`${appRights[app].length} rights of ${app}`);
  },
};

async function listMissing(server: TableServer, app: keyof typeof appRights, database: string): Promise<string[]> {
  const missing: string[] = [];
  for (const right of appRights[app]) {
    const grant = right.replace(/ sluice\./, ` \`${database.replace(/[`\\]/g, '\\$&')}\`.`);
    // The statement takes no FORMAT.
    const { stream } = await server.client.exec({ query: `CHECK GRANT ${grant}` });
    if ((await text(stream)).trim() !== '1') missing.push(grant);
  }
  return missing;
}

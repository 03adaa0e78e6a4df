import { schemaDifferences } from '@sluice/clickhouse';
import { findMigrations } from '../../status/migration-files.js';
import { type DoctorCheck } from '../examination.js';
import { well } from '../finding.js';
import { joinNames } from '../join-names.js';

export const clickhouseSchema: DoctorCheck = {
  check: 'clickhouse.schema',
  tested: 'every table, view and column of the migrations is there',
  run: async ({ question }) => {
    const differences = await schemaDifferences(question.config, await findMigrations());
    if (differences.length === 0) return well('as the migrations made it');
    return {
      verdict: 'fails',
      found: joinNames(differences),
      meaning: 'Consumers wait for it, or views answer otherwise than documented.',
      action: 'Run operator migrate: docs/upgrades.md#repairs',
    };
  },
};

import { setTimeout as sleep } from 'node:timers/promises';
import { type FaultClass } from '../thousand/fault-class.js';
import { eventually, type Random } from '@sluice/testing';
import { type Stage } from '../thousand/stage.js';

/** One table accepts nothing; all others accept rows. */
const aboutTable = { scope: 'events', takes: ['table'] } as const;

/** Changes the table and reverts the change. */
const changing = (changes: readonly string[], reverts: readonly string[]) => async (stage: Stage, random: Random) => {
  for (const query of changes) await eventually(() => stage.ledger.command(query));
  await sleep(random.between(300, 2_500));
  for (const query of reverts) await eventually(() => stage.ledger.command(query));
};

export const tableClasses: readonly FaultClass[] = [
  {
    ...aboutTable,
    name: 'one table missing',
    weight: 4,
    inject: changing(['RENAME TABLE events TO events_hidden'], ['RENAME TABLE events_hidden TO events']),
  },
  {
    ...aboutTable,
    name: 'one table read-only',
    weight: 3,
    inject: changing(
      ['ALTER TABLE events MODIFY SETTING table_readonly = 1'],
      ['ALTER TABLE events MODIFY SETTING table_readonly = 0'],
    ),
  },
  {
    ...aboutTable,
    name: 'too many parts',
    weight: 3,
    inject: changing(
      [
        'SYSTEM STOP MERGES events',
        'ALTER TABLE events MODIFY SETTING parts_to_throw_insert = 1, parts_to_delay_insert = 1',
      ],
      ['ALTER TABLE events RESET SETTING parts_to_throw_insert, parts_to_delay_insert', 'SYSTEM START MERGES events'],
    ),
  },
];

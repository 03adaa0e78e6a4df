import { Controller, Query } from '@nestjs/common';
import { type Ledger, type LedgerTopics } from '@sluice/console-api';
import { destinations } from '@sluice/operations';
import { invalid, notFound } from '../http/console-error.js';
import { Serves, User } from '../http/operation.js';
import { fieldsOf, rangeOf, textOf } from '../http/read.js';
import { type CurrentUser } from '../session/current-user.js';
import { LedgerReader } from './ledger.js';
import { LedgerRuns } from './ledger-runs.js';

const dayMs = 24 * 3_600_000;

/** Proves that nothing is lost or doubled. */
@Controller()
export class LedgerController {
  private readonly runs = new LedgerRuns<Ledger>();

  constructor(private readonly ledger: LedgerReader) {}

  @Serves('GET /api/pipeline/ledgers')
  topics(): LedgerTopics {
    const appended = destinations.filter(({ hasMessageId }) => hasMessageId);
    return { topics: appended.map(({ topic, table }) => ({ topic, table })) };
  }

  @Serves('GET /api/pipeline/ledger')
  prove(@Query() query: unknown, @User() user: CurrentUser): Promise<Ledger> {
    const fields = fieldsOf(query);
    const topic = textOf(fields, 'topic', 100);
    const destination = destinations.find((one) => one.topic === topic && one.hasMessageId);
    if (!destination) throw notFound(`There is no ledger of ${topic}: its table keeps the newest row of each entity.`);
    const range = rangeOf(fields);
    if (range.to.getTime() - range.from.getTime() > dayMs) throw invalid('A ledger covers a day at most.');
    const minutes = [range.from, range.to].map((time) => Math.floor(time.getTime() / 60_000));
    const question = [topic, ...minutes].join(':');
    return this.runs.run(question, user.id, () => this.ledger.read(user, destination, range));
  }
}

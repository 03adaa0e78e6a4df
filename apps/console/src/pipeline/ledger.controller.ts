import { Controller, Query } from '@nestjs/common';
import { type Ledger, type LedgerProgress, type LedgerQuery, type LedgerTopics } from '@sluice/console-api';
import { type Destination, destinations } from '@sluice/operations';
import { invalid, notFound } from '../http/console-error.js';
import { Serves, ActingUser } from '../http/operation.js';
import { type Range, requirePeriod } from '../http/range.js';
import { type CurrentUser } from '../session/current-user.js';
import { LedgerReader, ledgerSteps } from './ledger.js';
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
  prove(@Query() query: LedgerQuery, @ActingUser() user: CurrentUser): Promise<Ledger> {
    const { destination, range, question } = parseQuestion(query);
    return this.runs.run(question, user.id, (onStep) => this.ledger.read(user, destination, range, onStep));
  }

  @Serves('GET /api/pipeline/ledger/progress')
  progress(@Query() query: LedgerQuery): LedgerProgress {
    return { ...this.runs.readProgress(parseQuestion(query).question), steps: ledgerSteps };
  }
}

function parseQuestion(query: LedgerQuery): { destination: Destination; range: Range; question: string } {
  const { topic } = query;
  const destination = destinations.find((candidate) => candidate.topic === topic && candidate.hasMessageId);
  if (!destination) throw notFound(`There is no ledger of ${topic}: its table keeps the newest row of each entity.`);
  const range = requirePeriod(query);
  if (range.to.getTime() - range.from.getTime() > dayMs) throw invalid('A ledger covers a day at most.');
  const minutes = [range.from, range.to].map((time) => Math.floor(time.getTime() / 60_000));
  return { destination, range, question: [topic, ...minutes].join(':') };
}

import { Injectable } from '@nestjs/common';
import { type EventCoverage, type PlanViolation } from '@sluice/console-api';
import { type Range } from '../http/range.js';
import { isoOf, type Tables, timeParameter } from '../servers/tables.js';
import { type CurrentUser } from '../session/current-user.js';

const maxRows = 500;

type ViolationRow = Omit<PlanViolation, 'messages' | 'people'> & { messages: string; people: string };
type CoverageRow = { [Name in keyof EventCoverage]: string };

/** Reads what plans said of the messages of a source. */
@Injectable()
export class PlanFacts {
  constructor(private readonly tables: Tables) {}

  async violations(user: CurrentUser, source: string, range: Range): Promise<PlanViolation[]> {
    const rows = await this.tables.select<ViolationRow>(user, violationsQuery, parametersOf(source, range));
    return rows.map((row) => ({
      ...row,
      messages: Number(row.messages),
      people: Number(row.people),
      firstSeen: isoOf(row.firstSeen),
      lastSeen: isoOf(row.lastSeen),
    }));
  }

  async coverage(user: CurrentUser, source: string, range: Range): Promise<EventCoverage[]> {
    const rows = await this.tables.select<CoverageRow>(user, coverageQuery, parametersOf(source, range));
    return rows.map(({ event, messages, planned, violating }) => ({
      event,
      messages: Number(messages),
      planned: Number(planned),
      violating: Number(violating),
    }));
  }
}

const parametersOf = (source: string, { from, to }: Range): Record<string, unknown> => ({
  source,
  from: timeParameter(from),
  to: timeParameter(to),
});

const period = `source = {source:String}, from = {from:DateTime64(3, 'UTC')}, to = {to:DateTime64(3, 'UTC')}`;

const violationsQuery = `
  SELECT event, rule, path, toString(events + refused) AS messages, toString(people) AS people, share,
         toString(first_seen) AS firstSeen, toString(last_seen) AS lastSeen, toString(request_id) AS requestId
  FROM plan_violations(${period}) ORDER BY events + refused DESC, event, rule, path LIMIT ${maxRows}`;

const coverageQuery = `
  SELECT event, toString(events + refused) AS messages, toString(planned_events) AS planned, toString(violating_events) AS violating
  FROM plan_coverage(${period}) ORDER BY events + refused DESC, event LIMIT ${maxRows}`;

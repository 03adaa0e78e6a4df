import { Injectable } from '@nestjs/common';
import { toClickHouseTime, toIso } from '@sluice/clickhouse';
import { type EventCoverage, type PlanCoverage, type PlanViolation, type PlanViolations } from '@sluice/console-api';
import { type Range } from '../http/range.js';
import { Payloads } from '../payload/payloads.js';
import { type Tables } from '../servers/tables.js';
import { type CurrentUser } from '../session/current-user.js';

type ViolationRow = Omit<PlanViolation, 'messages' | 'people'> & { messages: string; people: string; found: string };
type CoverageRow = { [Name in keyof EventCoverage]: string } & { found: string };

interface Page {
  skip: number;
  limit: number;
}

/** Reads what plans said of the messages of a source. Names that clients sent are masked for everybody, as in lists. */
@Injectable()
export class PlanFacts {
  constructor(
    private readonly tables: Tables,
    private readonly payloads: Payloads,
  ) {}

  async violations(user: CurrentUser, source: string, range: Range, page: Page): Promise<PlanViolations> {
    const rows = await this.tables.select<ViolationRow>(user, violationsQuery(page), periodParameters(source, range));
    const violations = rows.map((row) => ({
      rule: row.rule,
      share: row.share,
      requestId: row.requestId,
      event: this.maskText('event', row.event, source, row.lastSeen),
      path: this.maskText('path', row.path, source, row.lastSeen),
      messages: Number(row.messages),
      people: Number(row.people),
      firstSeen: toIso(row.firstSeen),
      lastSeen: toIso(row.lastSeen),
    }));
    return { violations, found: Number(rows[0]?.found ?? 0) };
  }

  async coverage(user: CurrentUser, source: string, range: Range, page: Page): Promise<PlanCoverage> {
    const rows = await this.tables.select<CoverageRow>(user, coverageQuery(page), periodParameters(source, range));
    const events = rows.map(({ event, messages, planned, violating }) => ({
      event: this.maskText('event', event, source, range.to.toISOString()),
      messages: Number(messages),
      planned: Number(planned),
      violating: Number(violating),
    }));
    return { events, found: Number(rows[0]?.found ?? 0) };
  }

  private maskText(name: string, text: string, source: string, at: string): string {
    return this.payloads.masked.value(name, text, { source, at });
  }
}

const periodParameters = (source: string, { from, to }: Range): Record<string, unknown> => ({
  source,
  from: toClickHouseTime(from),
  to: toClickHouseTime(to),
});

const period = `source = {source:String}, from = {from:DateTime64(3, 'UTC')}, to = {to:DateTime64(3, 'UTC')}`;

const formatPage = ({ skip, limit }: Page): string => `LIMIT ${limit} OFFSET ${skip}`;

const violationsQuery = (page: Page): string => `
  SELECT event, rule, path, toString(events + refused) AS messages, toString(people) AS people, share,
         toString(first_seen) AS firstSeen, toString(last_seen) AS lastSeen, toString(request_id) AS requestId,
         count() OVER () AS found
  FROM plan_violations(${period}) ORDER BY events + refused DESC, event, rule, path ${formatPage(page)}`;

const coverageQuery = (page: Page): string => `
  SELECT event, toString(events + refused) AS messages, toString(planned_events) AS planned,
         toString(violating_events) AS violating, count() OVER () AS found
  FROM plan_coverage(${period}) ORDER BY events + refused DESC, event ${formatPage(page)}`;

import { type createClickHouse } from '@sluice/clickhouse';
import { noFacts, type ParseUserAgent, type UserAgentFacts } from './parse-user-agent.js';

/** Upper bound of texts that are read, parsed and stored at once. */
const maxTexts = 2_000;
/** Texts that are parsed before other work of the process has its turn. */
const textsPerTurn = 50;

interface Parser {
  readonly version: number;
  readonly parse: ParseUserAgent;
}

export interface ParsedTexts {
  readonly parsed: number;
  /** Texts with which the parser threw. */
  readonly failed: number;
}

interface UserAgentRow extends UserAgentFacts {
  user_agent: string;
  is_parsed: boolean;
  parser_version: number;
}

/** The table `user_agents` of one server: docs/decisions/0068-user-agents.md. */
export class UserAgentTable {
  constructor(
    private readonly client: ReturnType<typeof createClickHouse>,
    private readonly parser: Parser,
  ) {}

  /**
   * Parses the texts of rows stored since a time that have no answer of this parser yet, and stores the answers. A text
   * that makes the parser throw gets a row without an answer, so that it is not parsed again and again.
   * @param since milliseconds since 1970
   */
  async fill(since: number): Promise<ParsedTexts> {
    let [parsed, failed] = [0, 0];
    for (;;) {
      const texts = await this.unknownSince(since);
      const rows: UserAgentRow[] = [];
      for (const [i, text] of texts.entries()) {
        if (i % textsPerTurn === textsPerTurn - 1) await new Promise((resolve) => setImmediate(resolve));
        rows.push(this.rowOf(text));
      }
      if (rows.length > 0) await this.client.insert({ table: 'user_agents', values: rows, format: 'JSONEachRow' });
      failed += rows.filter(({ is_parsed }) => !is_parsed).length;
      parsed += rows.filter(({ is_parsed }) => is_parsed).length;
      if (texts.length < maxTexts) return { parsed, failed };
    }
  }

  close(): Promise<void> {
    return this.client.close();
  }

  private rowOf(text: string): UserAgentRow {
    const own = { user_agent: text, parser_version: this.parser.version };
    try {
      return { ...own, ...this.parser.parse(text), is_parsed: true };
    } catch {
      return { ...own, ...noFacts, is_parsed: false };
    }
  }

  private async unknownSince(since: number): Promise<string[]> {
    const seen = (table: string): string => `SELECT DISTINCT user_agent FROM ${table}
      WHERE stored_at >= fromUnixTimestamp64Milli({since:Int64}, 'UTC') AND user_agent != ''
        AND user_agent NOT IN (SELECT user_agent FROM user_agents WHERE parser_version >= {version:UInt32})`;
    const result = await this.client.query({
      query: `SELECT DISTINCT user_agent FROM (${seen('events')} UNION ALL ${seen('identifies')}) LIMIT {limit:UInt32}`,
      query_params: { since, version: this.parser.version, limit: maxTexts },
      format: 'JSONEachRow',
    });
    return (await result.json<{ user_agent: string }>()).map(({ user_agent }) => user_agent);
  }
}

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

export interface ParseCounts {
  readonly parsed: number;
  /** Texts with which the parser threw. */
  readonly failed: number;
}

interface UserAgentRow extends UserAgentFacts {
  user_agent: string;
  is_parsed: boolean;
  parser_version: number;
}

/** Lets other work of the process have its turn. */
const yieldTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

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
  async parseNewTexts(since: number): Promise<ParseCounts> {
    let [parsed, failed] = [0, 0];
    for (;;) {
      const texts = await this.readUnknownSince(since);
      const rows: UserAgentRow[] = [];
      for (const [i, text] of texts.entries()) {
        if (i % textsPerTurn === textsPerTurn - 1) await yieldTurn();
        rows.push(this.makeRow(text));
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

  private makeRow(text: string): UserAgentRow {
    const keyColumns = { user_agent: text, parser_version: this.parser.version };
    try {
      return { ...keyColumns, ...this.parser.parse(text), is_parsed: true };
    } catch {
      return { ...keyColumns, ...noFacts, is_parsed: false };
    }
  }

  private async readUnknownSince(since: number): Promise<string[]> {
    const selectUserAgents = (table: string): string => `SELECT DISTINCT user_agent FROM ${table}
      WHERE stored_at >= fromUnixTimestamp64Milli({since:Int64}, 'UTC') AND user_agent != ''
        AND user_agent NOT IN (SELECT user_agent FROM user_agents WHERE parser_version >= {version:UInt32})`;
    const result = await this.client.query({
      query: `SELECT DISTINCT user_agent FROM (${selectUserAgents('events')} UNION ALL ${selectUserAgents('identifies')}) LIMIT {limit:UInt32}`,
      query_params: { since, version: this.parser.version, limit: maxTexts },
      format: 'JSONEachRow',
    });
    return (await result.json<{ user_agent: string }>()).map(({ user_agent }) => user_agent);
  }
}

import { type RunningStack } from '../local-stack.js';

/** The answer of the local ClickHouse, as text in the query's format. @throws Error with ClickHouse's message. */
export async function queryClickHouse(
  { clickhouse }: Pick<RunningStack, 'clickhouse'>,
  query: string,
): Promise<string> {
  const { origin, username, password } = new URL(clickhouse.url);
  const credentials = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64');
  const response = await fetch(`${origin}/?database=${encodeURIComponent(clickhouse.database)}`, {
    method: 'POST',
    headers: username === '' ? {} : { authorization: `Basic ${credentials}` },
    body: query,
  });
  const text = await response.text();
  if (!response.ok) throw new Error(text.slice(0, 500));
  return text.trimEnd();
}

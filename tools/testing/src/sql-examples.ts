/** The examples in SQL of a page in Markdown, in their order. */
export const findSqlExamples = (page: string): string[] =>
  [...page.matchAll(/^```sql\n(.*?)^```$/gms)].map(([, query = '']) => query.trim());

import { parser } from '@prometheus-io/lezer-promql';

/** Metrics and labels in a PromQL expression. */
export interface Mentioned {
  /** Names as written: those of a histogram end in `_bucket`, `_sum` or `_count`. */
  metrics: { name: string; labels: string[] }[];
  /** Labels in grouping clauses such as `by` and `on`. */
  grouping: string[];
}

/** @throws SyntaxError when the expression is not valid PromQL. */
export function mentionedIn(expression: string): Mentioned {
  const mentioned: Mentioned = { metrics: [], grouping: [] };
  parser.parse(expression).iterate({
    enter: ({ name, from, to, node, type }) => {
      if (type.isError) throw new SyntaxError(`invalid PromQL at ${from}: ${expression}`);
      const text = expression.slice(from, to);
      if (name === 'VectorSelector') mentioned.metrics.push({ name: '', labels: [] });
      const metric = mentioned.metrics.at(-1);
      if (name === 'Identifier' && node.parent?.name === 'VectorSelector' && metric) metric.name = text;
      if (name !== 'LabelName') return;
      if (node.parent?.name === 'GroupingLabels') mentioned.grouping.push(text);
      else metric?.labels.push(text);
    },
  });
  return mentioned;
}

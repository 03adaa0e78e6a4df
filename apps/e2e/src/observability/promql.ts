import { parser } from '@prometheus-io/lezer-promql';

/** What a PromQL expression speaks of. */
export interface Mentioned {
  /** As in the expression: of a histogram with `_bucket`, `_sum` or `_count`. */
  metrics: { name: string; labels: string[] }[];
  /** Labels of `by`, `on` and their like. */
  grouping: string[];
}

/** @throws SyntaxError when it is no PromQL. */
export function mentionedIn(expression: string): Mentioned {
  const mentioned: Mentioned = { metrics: [], grouping: [] };
  parser.parse(expression).iterate({
    enter: ({ name, from, to, node, type }) => {
      if (type.isError) throw new SyntaxError(`no PromQL at ${from}: ${expression}`);
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

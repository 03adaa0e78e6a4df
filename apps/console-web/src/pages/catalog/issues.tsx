import { type ShownCatalogIssue, type ShownCatalogIssues } from '@sluice/console-api';
import { Link } from '@tanstack/react-router';
import { useRead } from '../../data/use-api';
import { Card } from '../../ui/card';
import { Empty } from '../../ui/empty';
import { Loaded } from '../../ui/loaded';
import { Count } from '../../ui/number';
import { Sent } from '../../ui/sent';
import { Table } from '../../ui/table';
import { Age } from '../../ui/zone';

interface Props {
  catalog: string;
  /** Source of the events; that of the catalog if there is none. */
  source: string | undefined;
}

/** The issues of a catalog: how many entities have each issue, and those that most events touch. */
export function IssueCards({ catalog, source }: Props) {
  const issues = useRead('GET /api/catalog/issues', { query: { catalog, ...(source !== undefined && { source }) } });
  return (
    <>
      <Card title="Issues" flush>
        <Loaded of={issues}>{(data) => <IssueCounts issues={data} />}</Loaded>
      </Card>
      {issues.data && issues.data.issues.length > 0 && (
        <Card title="The worst first" note="At most 100, by the events of the last seven days on the product" flush>
          <WorstIssues catalog={catalog} source={source} issues={issues.data.issues} />
        </Card>
      )}
    </>
  );
}

/** Names of entities in the address. */
const addressNames = { product_variant: 'variant', product: 'product', category: 'category' } as const;

/** An issue in words: `missing product`. */
const formatIssue = (issue: string): string => issue.replaceAll('_', ' ');

const IssueCounts = ({ issues: { counts, days } }: { issues: ShownCatalogIssues }) => (
  <Table
    label="Entities by issue"
    rows={counts}
    rowKey={({ issue }) => issue}
    columns={[
      {
        label: 'Issue',
        grow: true,
        cell: ({ issue }) => (issue === 'untouched' ? `untouched for ${days} days` : formatIssue(issue)),
      },
      { label: 'Entities', end: true, cell: ({ entities }) => <Count value={entities} /> },
    ]}
    empty={<Empty kind="well" title="No issues" />}
  />
);

const WorstIssues = ({ catalog, source, issues }: Props & { issues: readonly ShownCatalogIssue[] }) => (
  <Table
    label="Issues, the worst first"
    rows={issues.map((issue, index) => ({ ...issue, key: `${index}` }))}
    rowKey={({ key }) => key}
    columns={[
      { label: 'Issue', cell: ({ issue }) => formatIssue(issue) },
      {
        label: 'Entity',
        grow: true,
        cell: ({ entity, entityId, isMasked }) => (
          <>
            {formatIssue(entity)}{' '}
            {!isMasked ? (
              <Link
                to="/catalog"
                search={{ catalog, [addressNames[entity]]: entityId, ...(source !== undefined && { source }) }}
              >
                <Sent text={entityId} />
              </Link>
            ) : (
              <Sent text={entityId} />
            )}
          </>
        ),
      },
      { label: 'Names', grow: true, cell: ({ names }) => <Sent text={names || '–'} /> },
      { label: 'Since', end: true, cell: ({ since }) => <Age at={since} /> },
      { label: 'Events', end: true, cell: ({ events }) => <Count value={events} /> },
    ]}
  />
);

import { type AuditEntry } from '@sluice/console-api';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useRead } from '../data/use-api';
import { Badge } from '../ui/badge';
import { Card } from '../ui/card';
import { Empty } from '../ui/empty';
import { Loaded } from '../ui/loaded';
import { Sent } from '../ui/sent';
import { Table } from '../ui/table';
import { Time } from '../ui/zone';

const route = getRouteApi('/shell/settings');

/** What people did, in the console and at a terminal. */
export function AuditCard() {
  const { actor, operation, object } = route.useSearch();
  const query = { ...(actor && { actor }), ...(operation && { operation }), ...(object && { object }) };
  const audit = useRead('GET /api/audit', { query }, { every: 5000 });
  const isFiltered = Boolean(actor ?? operation ?? object);
  return (
    <Card
      title="Audit"
      note="Newest first; the intent is kept before the deed"
      flush
      actions={
        isFiltered && (
          <Link from="/settings" to="." search={{ tab: 'audit' }}>
            Clear the filters
          </Link>
        )
      }
    >
      <Loaded of={audit} lines={8}>
        {(entries) => (
          <Table
            label="Audit"
            rows={entries}
            rowKey={({ id }) => id}
            columns={columns}
            empty={
              <Empty
                kind={isFiltered ? 'filtered' : 'none-yet'}
                title={isFiltered ? 'Nothing matches' : 'Nobody has changed anything yet'}
              />
            }
          />
        )}
      </Loaded>
    </Card>
  );
}

const columns = [
  { label: 'Time', cell: ({ at }: AuditEntry) => <Time at={at} /> },
  {
    label: 'Who',
    cell: ({ actor }: AuditEntry) => (
      <Link from="/settings" to="." search={(now) => ({ ...now, actor })}>
        <Sent text={actor} />
      </Link>
    ),
  },
  { label: 'Deed', cell: ({ operation }: AuditEntry) => <code>{operation}</code> },
  {
    label: 'On',
    grow: true,
    cell: ({ object, details }: AuditEntry) => (
      <>
        <Sent className="mono" text={object || '–'} />
        {details && details !== '{}' && <Sent className="small soft mono" text={` ${details}`} />}
      </>
    ),
  },
  { label: 'From', cell: ({ face, origin }: AuditEntry) => `${face}, ${origin}` },
  {
    label: 'Outcome',
    cell: ({ outcome, error }: AuditEntry) => (
      <>
        <Badge state={outcome} />
        {error && <span className="small soft"> {error}</span>}
      </>
    ),
  },
];

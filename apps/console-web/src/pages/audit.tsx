import { type AuditEntry } from '@sluice/console-api';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { csvOf, saveFile } from '../data/csv';
import { type AuditPages, useAudit } from '../data/use-audit';
import { Badge } from '../ui/badge';
import { Button } from '../ui/button';
import { Card } from '../ui/card';
import { Empty } from '../ui/empty';
import { Loaded } from '../ui/loaded';
import { Sent } from '../ui/sent';
import { Table } from '../ui/table';
import { fromInput, Time, toInput, useZone } from '../ui/zone';
import { detailsText } from './action-details';
import './audit.css';

const route = getRouteApi('/shell/settings');

/** Actions of people, in the console and at a terminal. */
export function AuditCard() {
  const { actor, operation, object, until } = route.useSearch();
  const filters = { ...(actor && { actor }), ...(operation && { operation }), ...(object && { object }) };
  const audit = useAudit(filters, until);
  const isFiltered = Boolean(actor ?? operation ?? object ?? until);
  return (
    <Card
      title="Audit"
      note="Newest first. Each action is logged before it runs."
      flush
      actions={
        <>
          {isFiltered && (
            <Link from="/settings" to="." search={(now) => ({ ...(now.tz && { tz: now.tz }), tab: 'audit' })}>
              Clear the filters
            </Link>
          )}
          <Until until={until} />
          {audit.data && <Export entries={audit.data.entries} />}
        </>
      }
    >
      <Loaded of={audit} lines={8}>
        {(pages) => <Entries pages={pages} isFiltered={isFiltered} />}
      </Loaded>
    </Card>
  );
}

const Entries = ({ pages, isFiltered }: { pages: AuditPages; isFiltered: boolean }) => (
  <>
    <Table
      label="Audit"
      rows={pages.entries}
      rowKey={({ id }) => id}
      columns={columns}
      empty={
        <Empty
          kind={isFiltered ? 'filtered' : 'none-yet'}
          title={isFiltered ? 'Nothing matches' : 'Nobody has changed anything yet'}
        />
      }
    />
    {pages.more && (
      <div className="audit-more">
        <Button busy={pages.isLoadingMore} onClick={pages.more}>
          Show older entries
        </Button>
      </div>
    )}
  </>
);

/** Leaves out what happened after a time. */
function Until({ until }: { until: string | undefined }) {
  const zone = useZone();
  const navigate = useNavigate({ from: '/settings' });
  return (
    <label className="row small">
      Until
      <input
        className="input audit-until"
        type="datetime-local"
        step={1}
        value={until === undefined ? '' : toInput(until, zone)}
        onChange={({ target: { value } }) => {
          const time = value === '' ? undefined : fromInput(value, zone);
          void navigate({ search: (now) => ({ ...now, until: time }), replace: true });
        }}
      />
    </label>
  );
}

const head = ['time', 'actor', 'role', 'action', 'object', 'details', 'from', 'origin', 'outcome', 'error'];

/** Saves the entries that are shown. */
const Export = ({ entries }: { entries: readonly AuditEntry[] }) => (
  <Button
    disabled={entries.length === 0}
    onClick={() => {
      const rows = entries.map((one) => [
        one.at,
        one.actor,
        one.role,
        one.operation,
        one.object,
        one.details,
        one.face,
        one.origin,
        one.outcome,
        one.error,
      ]);
      saveFile('sluice-audit.csv', csvOf([head, ...rows]), 'text/csv');
    }}
  >
    Export CSV
  </Button>
);

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
  { label: 'Action', cell: ({ operation }: AuditEntry) => <code>{operation}</code> },
  {
    label: 'Object',
    grow: true,
    cell: ({ object, details }: AuditEntry) => (
      <>
        <Sent className="mono" text={object || '–'} />
        <Details json={details} />
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

function Details({ json }: { json: string }) {
  const text = detailsText(json);
  return text !== '' && <Sent className="audit-details small soft" text={text} />;
}

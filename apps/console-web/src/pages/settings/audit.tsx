import { type AuditEntry } from '@sluice/console-api';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { buildAddress } from '../../data/call';
import { type AuditFilters, type AuditPages, useAudit } from '../../data/use-audit';
import { Badge } from '../../ui/badge';
import { Button } from '../../ui/button';
import { Card } from '../../ui/card';
import { Empty } from '../../ui/empty';
import { Input, Select } from '../../ui/field';
import { Loaded } from '../../ui/loaded';
import { Sent } from '../../ui/sent';
import { Table } from '../../ui/table';
import { fromDateTimeInput, Time, toDateTimeInput, useZone } from '../../ui/zone';
import { detailsText } from './action-details';
import './audit.css';

const route = getRouteApi('/shell/settings');

const kinds = [
  { value: '', label: 'All actions' },
  { value: 'changes', label: 'Changes' },
  { value: 'reads', label: 'Payload reads' },
];

/** Actions of people, in the console and at a terminal. */
export function AuditCard() {
  const { actor, operation, object, kind, from, to } = route.useSearch();
  const navigate = useNavigate({ from: '/settings' });
  const filters: AuditFilters = {
    ...{ actor, operation, object, from, to },
    ...((kind === 'changes' || kind === 'reads') && { kind }),
  };
  const audit = useAudit(filters);
  const isFiltered = Boolean(actor ?? operation ?? object ?? kind ?? from ?? to);
  const set = (name: 'kind' | 'from' | 'to') => (value: string | undefined) => {
    void navigate({ search: (now) => ({ ...now, [name]: value }), replace: true });
  };
  return (
    <Card
      title="Audit log"
      note="Newest first. Each action is logged before it runs."
      flush
      actions={
        <a className="button button-plain" href={buildAddress('/api/audit/export', {}, filters)} download>
          Export CSV
        </a>
      }
    >
      <form className="filters audit-filters" aria-label="Filters">
        <Select
          label="Kind"
          options={kinds}
          value={kind ?? ''}
          onChange={({ target: { value } }) => set('kind')(value === '' ? undefined : value)}
        />
        <TimeFilter label="From" value={from} onSet={set('from')} />
        <TimeFilter label="To" value={to} onSet={set('to')} />
        {isFiltered && (
          <Link from="/settings" to="." search={(now) => ({ ...(now.tz && { tz: now.tz }), tab: 'audit' })}>
            Clear the filters
          </Link>
        )}
      </form>
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

interface TimeFilterProps {
  label: string;
  /** ISO 8601. */
  value: string | undefined;
  onSet: (value: string | undefined) => void;
}

function TimeFilter({ label, value, onSet }: TimeFilterProps) {
  const zone = useZone();
  return (
    <Input
      label={label}
      type="datetime-local"
      step={1}
      key={value}
      defaultValue={value === undefined ? '' : toDateTimeInput(value, zone)}
      onBlur={({ target }) => onSet(target.value === '' ? undefined : fromDateTimeInput(target.value, zone))}
    />
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
  {
    label: 'Action',
    cell: ({ operation }: AuditEntry) => (
      <Link from="/settings" to="." search={(now) => ({ ...now, operation })}>
        <code>{operation}</code>
      </Link>
    ),
  },
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

import { type CatalogImport } from '@sluice/console-api';
import { useRead } from '../../data/use-api';
import { Badge, Tag } from '../../ui/badge';
import { Card } from '../../ui/card';
import { Empty } from '../../ui/empty';
import { Loaded } from '../../ui/loaded';
import { Count } from '../../ui/number';
import { Sent } from '../../ui/sent';
import { Table } from '../../ui/table';
import { Age } from '../../ui/zone';
import { kindNames } from './content';

/** The results of the last imports of files, taken from the actions of people at terminals. */
export function ImportsCard({ catalog }: { catalog: string }) {
  const imports = useRead('GET /api/catalog/imports', { query: { catalog } });
  return (
    <Card title="Imports" note="The newest 20 of operator catalog import" flush>
      <Loaded of={imports}>{({ imports: rows }) => <ImportsTable imports={rows} />}</Loaded>
    </Card>
  );
}

const ImportsTable = ({ imports }: { imports: readonly CatalogImport[] }) => (
  <Table
    label="Imports, the newest first"
    rows={imports.map((entry, index) => ({ ...entry, key: `${index}` }))}
    rowKey={({ key }) => key}
    columns={[
      { label: 'Began', cell: ({ began }) => <Age at={began} /> },
      {
        label: 'File',
        grow: true,
        cell: ({ file, isReplacement }) => (
          <span className="row">
            <Sent text={file || '–'} />
            {isReplacement && <Tag text="whole feed" />}
          </span>
        ),
      },
      { label: 'Type', cell: ({ type }) => kindNames[type] },
      {
        label: 'State',
        cell: ({ outcome }) => (
          <Badge state={outcome} text={outcome === 'intended' ? 'Running, or killed' : undefined} />
        ),
      },
      { label: 'New', end: true, cell: ({ compared }) => <Count value={compared?.added} /> },
      { label: 'Changed', end: true, cell: ({ compared }) => <Count value={compared?.changed} /> },
      { label: 'Deleted', end: true, cell: ({ compared }) => <Count value={compared?.deleted} /> },
      { label: 'Sent', end: true, cell: ({ sent }) => <Count value={sent?.records} /> },
      { label: 'Refused', end: true, cell: ({ sent }) => <Count value={sent?.refused} /> },
    ]}
    empty={
      <Empty kind="none-yet" title="No imports">
        Feeds that come by other ways than operator catalog import are not listed.
      </Empty>
    }
  />
);

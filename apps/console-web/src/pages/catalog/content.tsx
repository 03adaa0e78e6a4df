import { type CatalogContent, type EntityKind } from '@sluice/console-api';
import { Link } from '@tanstack/react-router';
import { useRead } from '../../data/use-api';
import { Card } from '../../ui/card';
import { Empty } from '../../ui/empty';
import { Loaded } from '../../ui/loaded';
import { Count, exactText } from '../../ui/number';
import { Sent } from '../../ui/sent';
import { Table } from '../../ui/table';
import { Age } from '../../ui/zone';

export const kindNames: Record<EntityKind, string> = {
  seller: 'Sellers',
  product: 'Products',
  product_variant: 'Variants',
  category: 'Categories',
  general: 'General entities',
};

/** Number and newest arrival of the entities of each type, of one source or of all. */
export function CatalogContentCard({ source }: { source: string | undefined }) {
  const content = useRead('GET /api/catalog', { query: source === undefined ? {} : { source } });
  return (
    <Card title="Entities" note="Present states, without those that were deleted" flush>
      <Loaded of={content}>{(data) => <ContentTable content={data} />}</Loaded>
    </Card>
  );
}

const ContentTable = ({ content: { counts, found: countOfAll } }: { content: CatalogContent }) => (
  <>
    <Table
      label="Entities by source and type"
      rows={counts}
      rowKey={({ source, type }) => `${source} ${type}`}
      columns={[
        {
          label: 'Source',
          grow: true,
          cell: ({ source, sourceName }) => (
            <Link to="/catalog" search={{ catalog: source }}>
              <Sent text={sourceName || source} />
            </Link>
          ),
        },
        { label: 'Type', cell: ({ type }) => kindNames[type] },
        { label: 'Entities', end: true, cell: ({ entities }) => <Count value={entities} /> },
        { label: 'Newest arrived', end: true, cell: ({ newest }) => <Age at={newest} /> },
      ]}
      empty={
        <Empty kind="none-yet" title="No entities">
          Sellers, products, variants and categories arrive by the Sync API.
        </Empty>
      }
    />
    {countOfAll > counts.length && (
      <p className="small soft card-body">
        {exactText(countOfAll - counts.length)} more, whose newest entities are older: choose a source.
      </p>
    )}
  </>
);

import { type VariantChange, type VariantHistory } from '@sluice/console-api';
import { useRead } from '../../data/use-api';
import { Tag } from '../../ui/badge';
import { Card } from '../../ui/card';
import { Chart } from '../../ui/chart';
import { Loaded } from '../../ui/loaded';
import { exactText } from '../../ui/number';
import { Sent } from '../../ui/sent';
import { Table } from '../../ui/table';
import { Time } from '../../ui/zone';
import { buildPriceSteps } from './price-steps';

/** The history of a variant: its price, and who sold it, over time. */
export function HistoryCard({ catalog, variant }: { catalog: string; variant: string }) {
  const history = useRead('GET /api/catalog/history', { query: { catalog, variant } });
  return (
    <Card
      title={
        <>
          Variant <Sent text={variant} />
        </>
      }
      note={history.data && <ShownText history={history.data} />}
      flush
    >
      <Loaded of={history}>{(data) => <History history={data} readAt={history.readAt} />}</Loaded>
    </Card>
  );
}

const ShownText = ({ history: { changes, found: countOfAll } }: { history: VariantHistory }) =>
  countOfAll > changes.length
    ? `The newest ${exactText(changes.length)} of ${exactText(countOfAll)} changes`
    : `All changes: ${exactText(countOfAll)}`;

const formatPrice = (price: number | null): string => (price === null ? '–' : `${price}`);

function History({ history: { changes }, readAt }: { history: VariantHistory; readAt: number }) {
  const { times, prices, discountedPrices } = buildPriceSteps(changes, readAt);
  return (
    <>
      <div className="card-body">
        <Chart
          label="Price"
          times={times}
          unit="in the currency of the marketplace"
          format={formatPrice}
          lines={[
            { name: 'Price', tone: 'accent', values: prices },
            ...(discountedPrices.some((price) => price !== null)
              ? [{ name: 'Discounted', tone: 'ok', values: discountedPrices, isDashed: true } as const]
              : []),
          ]}
        />
      </div>
      <Table
        label="Changes of the variant"
        rows={changes}
        rowKey={({ began }) => began}
        columns={[
          { label: 'From', cell: ({ began }) => <Time at={began} /> },
          { label: 'To', cell: ({ ended }) => (ended === null ? 'now' : <Time at={ended} />) },
          { label: 'Price', end: true, cell: ({ price, isDeleted }) => (isDeleted ? '–' : price) },
          { label: 'Discounted', end: true, cell: ({ discountedPrice }) => discountedPrice ?? '–' },
          { label: 'Stock', end: true, cell: ({ stock, isDeleted }) => (isDeleted ? '–' : stock) },
          { label: 'State', cell: (change) => <VariantState change={change} /> },
          { label: 'Product', grow: true, cell: ({ product }) => <Sent text={product || '–'} /> },
          { label: 'Seller', grow: true, cell: ({ seller }) => <Sent text={seller || '–'} /> },
        ]}
      />
    </>
  );
}

function VariantState({ change: { isDeleted, isAvailable, isBuyBoxWinner } }: { change: VariantChange }) {
  if (isDeleted) return <Tag text="deleted" />;
  return (
    <span className="row">
      <Tag text={isAvailable ? 'available' : 'not available'} />
      {isBuyBoxWinner && <Tag text="Buy Box" />}
    </span>
  );
}

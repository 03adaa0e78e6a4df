import { type LiveRow } from '@sluice/console-api';
import { Link } from '@tanstack/react-router';
import { type LiveItem } from '../../data/live-window';
import { Badge } from '../../ui/badge';
import { Facts } from '../../ui/card';
import { Dialog } from '../../ui/dialog';
import { JsonView } from '../../ui/json-view';
import { Sent } from '../../ui/sent';
import { Time } from '../../ui/zone';
import { RefusalFacts, RequestLink, titleOfKind } from '../requests/refusal';

interface Props {
  item: LiveItem | null;
  state: string | null;
  onClose: () => void;
}

/** The row that was opened: what was sent, and how far it has got. */
export const LiveDrawer = ({ item, state, onClose }: Props) => (
  <Dialog open={item !== null} onClose={onClose} title={showTitle(item)} side="end">
    {item?.kind === 'row' && state && <RowFacts row={item.row} state={state} />}
    {item?.kind === 'refused' && (
      <div className="stack">
        <RefusalFacts refusal={item.refusal} />
        <Link to="/refused" search={{ id: item.refusal.requestId }} className="button button-plain">
          Show why, and what was sent
        </Link>
      </div>
    )}
  </Dialog>
);

function showTitle(item: LiveItem | null) {
  if (item?.kind === 'row') return <Sent text={item.row.event} />;
  return item ? titleOfKind(item.refusal.kind) : '';
}

const RowFacts = ({ row, state }: { row: LiveRow; state: string }) => (
  <div className="stack">
    <Facts
      facts={[
        ['State', <Badge key="state" state={state} />],
        ['Received', <Time key="received" at={row.receivedAt} millis />],
        ['In Kafka', <Time key="kafka" at={row.at} millis />],
        ['User', <Sent key="user" text={row.user || '–'} />],
        ['Source', <SourceLink key="source" id={row.sourceIdentifier} />],
        ['Place', <code key="place">{`${row.topic}, partition ${row.partition}, offset ${row.offset}`}</code>],
        ['Request', <RequestLink key="request" id={row.requestId} />],
      ]}
    />
    <JsonView payload={row.payload} label="Message" isRow />
  </div>
);

const SourceLink = ({ id }: { id: string }) => (
  <Link to="/sources/$id" params={{ id }}>
    <code>{id}</code>
  </Link>
);

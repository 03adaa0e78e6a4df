import { type EventDetail } from '@sluice/console-api';
import { Link } from '@tanstack/react-router';
import { useRead } from '../../data/use-api';
import { Badge } from '../../ui/badge';
import { Facts } from '../../ui/card';
import { CopyButton } from '../../ui/copy';
import { Dialog } from '../../ui/dialog';
import { JsonView } from '../../ui/json-view';
import { Loaded } from '../../ui/loaded';
import { Sent } from '../../ui/sent';
import { Time } from '../../ui/zone';
import { RequestLink } from '../requests/refusal';

/** A stored message by its place in Kafka, which the address holds. */
export function EventDrawer({ id, onClose }: { id: string; onClose: () => void }) {
  const detail = useRead('GET /api/events/:id', { path: { id } });
  return (
    <Dialog open onClose={onClose} title={<Sent text={detail.data?.event ?? 'Message'} />} side="end">
      <Loaded of={detail} lines={8}>
        {(event) => <EventFacts event={event} />}
      </Loaded>
    </Dialog>
  );
}

function EventFacts({ event }: { event: EventDetail }) {
  const [topic = '', partition = '', offset = ''] = event.id.split(':');
  return (
    <div className="stack">
      <Facts
        facts={[
          ['State', <Badge key="state" state="stored" />],
          ['Received', <Time key="received" at={event.receivedAt} millis />],
          ['Stored', <Time key="stored" at={event.storedAt} millis />],
          ['User', <Sent key="user" text={event.user === '' ? '–' : event.user} />],
          ...(event.entity === '' ? [] : [['Entity', <Sent key="entity" text={event.entity} />] as const]),
          [
            'Source',
            <Link key="source" to="/sources/$id" params={{ id: event.sourceIdentifier }}>
              <Sent text={event.sourceName === '' ? event.sourceIdentifier : event.sourceName} />
            </Link>,
          ],
          ['Table', <code key="table">{event.table}</code>],
          ['Place', <code key="place">{`${topic}, partition ${partition}, offset ${offset}`}</code>],
          ['Request', <RequestLink key="request" id={event.requestId} />],
        ]}
      />
      <JsonView payload={event.payload} label="Message" isRow />
      <div className="row">
        <CopyButton text={event.sql} label="Copy SQL" />
      </div>
    </div>
  );
}

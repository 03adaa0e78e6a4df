import { type ServerState } from '@sluice/console-api';
import { useServers } from '../data/now';
import { Notice } from '../ui/empty';
import { Age } from '../ui/zone';

/** Names the server that is not responding, since when, and what still works. */
export function ServersDown() {
  const { servers: data, error } = useServers();
  const lines = [
    ...(error ? [<p key="console">{error.message}</p>] : []),
    ...(data
      ? [
          line(
            'Kafka',
            data.kafka,
            'Gateways keep accepted events on their disks while these have room, and refuse events after that.',
          ),
          line(
            'ClickHouse',
            data.clickhouse,
            'Events wait in Kafka, at most for its retention, and are stored when ClickHouse responds again.',
          ),
        ]
      : []),
  ].filter((line) => line !== null);
  if (lines.length === 0) return null;
  return (
    <div className="unreachable-bar">
      <Notice tone="bad" live>
        {lines}
      </Notice>
    </div>
  );
}

const line = (name: string, { isUnreachable, since, reason }: ServerState, effect: string) =>
  isUnreachable ? (
    <p key={name}>
      <strong>{name} is not responding</strong>, first noticed <Age at={since} />
      {reason && ` (${reason})`}. {effect}
    </p>
  ) : null;

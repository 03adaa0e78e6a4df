import { type ServerState } from '@sluice/console-api';
import { useServers } from '../data/servers';
import { Notice } from '../ui/empty';
import { Age } from '../ui/zone';

/** Says which server is away, since when, and what still works. */
export function ServersAway() {
  const { data, error } = useServers();
  const lines = [
    ...(error && 'status' in error && error.status === 0 ? [<p key="console">{error.message}</p>] : []),
    ...(data ? [line('Kafka', data.kafka, 'Requests are kept on the disks of the gateways; nothing is lost.')] : []),
    ...(data ? [line('ClickHouse', data.clickhouse, 'Messages wait in Kafka and are stored when it is back.')] : []),
  ].filter((one) => one !== null);
  if (lines.length === 0) return null;
  return (
    <div className="away-bar">
      <Notice tone="bad" live>
        {lines}
      </Notice>
    </div>
  );
}

const line = (name: string, { isAway, since, reason }: ServerState, effect: string) =>
  isAway ? (
    <p key={name}>
      <strong>{name} is away</strong>, first noticed <Age at={since} />. {effect}
      {reason && <span className="small"> ({reason})</span>}
    </p>
  ) : null;

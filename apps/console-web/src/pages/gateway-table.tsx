import { type GatewayStatus } from '@sluice/console-api';
import { Badge } from '../ui/badge';
import { Empty } from '../ui/empty';
import { bytesText, Count, exactText } from '../ui/number';
import { Table } from '../ui/table';
import { durationText, Unknown } from '../ui/zone';
import { Process } from './process';

/** Gateways, and what only their disks hold. */
export const GatewayTable = ({ gateways }: { gateways: readonly GatewayStatus[] }) => (
  <Table
    label="Gateways"
    rows={gateways}
    rowKey={({ url }) => url}
    columns={[
      { label: 'Gateway', grow: true, cell: (gateway) => <Process {...gateway} /> },
      { label: 'State', cell: ({ away }) => <Badge state={away === null ? 'ok' : 'away'} /> },
      { label: 'Requests', end: true, cell: ({ away, requests }) => <Count value={away === null ? requests : null} /> },
      { label: 'Refused', end: true, cell: refusals },
      { label: 'On its disk only', end: true, cell: spooled },
      {
        label: 'Could not be sent',
        end: true,
        cell: ({ away, spoolRefused }) => <Count value={away === null ? spoolRefused : null} />,
      },
    ]}
    empty={
      <Empty kind="none-yet" title="No gateway is known">
        GATEWAY_METRICS_URLS names the management addresses of the gateways.
      </Empty>
    }
  />
);

const refusals = ({ away, refused }: GatewayStatus) =>
  away !== null ? (
    <Unknown />
  ) : (
    <span title={refused.map(({ reason, requests }) => `${reason}: ${exactText(requests)}`).join('\n')}>
      <Count value={refused.reduce((sum, { requests }) => sum + requests, 0)} />
    </span>
  );

const spooled = ({ away, spoolMessages, spoolBytes, spoolOldestAgeSeconds }: GatewayStatus) =>
  away !== null ? (
    <Unknown />
  ) : spoolMessages === 0 ? (
    'nothing'
  ) : (
    `${exactText(spoolMessages)} (${bytesText(spoolBytes)}, ${durationText(spoolOldestAgeSeconds)})`
  );

import { type GatewayStatus } from '@sluice/console-api';
import { Badge } from '../../ui/badge';
import { Empty } from '../../ui/empty';
import { bytesText, Count, exactText } from '../../ui/number';
import { Table } from '../../ui/table';
import { durationText, Unknown } from '../../ui/zone';
import { Process } from './process';

/** Gateways, and what only their disks hold. */
export const GatewayTable = ({ gateways }: { gateways: readonly GatewayStatus[] }) => (
  <Table
    label="Gateways"
    rows={gateways}
    rowKey={({ url }) => url}
    columns={[
      { label: 'Gateway', grow: true, cell: (gateway) => <Process {...gateway} /> },
      { label: 'State', cell: ({ unreachable }) => <Badge state={unreachable === null ? 'ok' : 'unreachable'} /> },
      {
        label: 'Requests',
        end: true,
        cell: ({ unreachable, requests }) => <Count value={unreachable === null ? requests : null} />,
      },
      { label: 'Refused', end: true, cell: renderRefusals },
      { label: 'On its disk only', end: true, cell: renderSpool },
      {
        label: 'Could not be sent',
        end: true,
        cell: ({ unreachable, spoolRefused }) => <Count value={unreachable === null ? spoolRefused : null} />,
      },
    ]}
    empty={
      <Empty kind="none-yet" title="No gateway is known">
        GATEWAY_METRICS_URLS names the management addresses of the gateways.
      </Empty>
    }
  />
);

function renderRefusals({ unreachable, refused }: GatewayStatus) {
  if (unreachable !== null) return <Unknown />;
  return (
    <span title={refused.map(({ reason, requests }) => `${reason}: ${exactText(requests)}`).join('\n')}>
      <Count value={refused.reduce((sum, { requests }) => sum + requests, 0)} />
    </span>
  );
}

function renderSpool({ unreachable, spoolMessages, spoolBytes, spoolOldestAgeSeconds }: GatewayStatus) {
  if (unreachable !== null) return <Unknown />;
  if (spoolMessages === 0) return 'nothing';
  return `${exactText(spoolMessages)} (${bytesText(spoolBytes)}, ${durationText(spoolOldestAgeSeconds)})`;
}

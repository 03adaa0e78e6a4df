import { type GatewayStatus } from '@sluice/console-api';
import { Badge } from '../ui/badge';
import { Empty } from '../ui/empty';
import { bytesText, Count, exactText } from '../ui/number';
import { Table } from '../ui/table';
import { durationText } from '../ui/zone';

/** Gateways, and what only their disks hold. */
export const GatewayTable = ({ gateways }: { gateways: readonly GatewayStatus[] }) => (
  <Table
    label="Gateways"
    rows={gateways}
    rowKey={({ url }) => url}
    columns={[
      { label: 'Gateway', grow: true, cell: ({ url, away }) => (away ? `${url}: ${away}` : <code>{url}</code>) },
      { label: 'State', cell: ({ away }) => <Badge state={away === null ? 'ok' : 'away'} /> },
      { label: 'Requests', end: true, cell: ({ requests }) => <Count value={requests} /> },
      { label: 'Refused', end: true, cell: refusals },
      { label: 'On its disk only', end: true, cell: spooled },
      { label: 'Could not be sent', end: true, cell: ({ spoolRefused }) => <Count value={spoolRefused} /> },
    ]}
    empty={
      <Empty kind="none-yet" title="No gateway is known">
        GATEWAY_METRICS_URLS names the management addresses of the gateways.
      </Empty>
    }
  />
);

const refusals = ({ refused }: GatewayStatus) => (
  <span title={refused.map(({ reason, requests }) => `${reason}: ${exactText(requests)}`).join('\n')}>
    <Count value={refused.reduce((sum, { requests }) => sum + requests, 0)} />
  </span>
);

const spooled = ({ spoolMessages, spoolBytes, spoolOldestAgeSeconds }: GatewayStatus) =>
  spoolMessages === 0
    ? 'nothing'
    : `${exactText(spoolMessages)} (${bytesText(spoolBytes)}, ${durationText(spoolOldestAgeSeconds)})`;

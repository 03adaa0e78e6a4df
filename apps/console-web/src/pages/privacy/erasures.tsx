import { type ErasureView } from '@sluice/console-api';
import { useState } from 'react';
import { useAction, useRead } from '../../data/use-api';
import { Button } from '../../ui/button';
import { Card } from '../../ui/card';
import { CopyButton } from '../../ui/copy';
import { Confirm } from '../../ui/dialog';
import { Empty } from '../../ui/empty';
import { Input } from '../../ui/field';
import { Loaded } from '../../ui/loaded';
import { Count, exactText } from '../../ui/number';
import { Sent } from '../../ui/sent';
import { Table } from '../../ui/table';
import { useToast } from '../../ui/toast';
import { fromDateTimeInput, Time, Unknown, useZone } from '../../ui/zone';
import { ErasureBadge } from './erasure-states';

/** The erasures, with the states of now. */
export const useErasures = () => useRead('GET /api/privacy/erasures', {}, { everyMs: 5000 });

/** All erasures, newest first. */
export function Erasures() {
  const erasures = useErasures();
  const [isReapplying, setReapplying] = useState(false);
  const open = erasures.data?.open ?? 0;
  return (
    <Card
      title="Erasures"
      note={
        open === 0
          ? 'None is open'
          : `${exactText(open)} open: the nightly run, or operator privacy run, carries them on`
      }
      flush
      actions={<Button onClick={() => setReapplying(true)}>After a restore…</Button>}
    >
      <Loaded of={erasures}>{(list) => <ErasureTable erasures={list.erasures} />}</Loaded>
      {isReapplying && <ReapplyDialog onClose={() => setReapplying(false)} />}
    </Card>
  );
}

const ErasureTable = ({ erasures }: { erasures: readonly ErasureView[] }) => (
  <Table
    label="Erasures"
    rows={erasures}
    rowKey={({ request }) => request}
    columns={[
      { label: 'Request', cell: ({ request }) => <code>{request}</code> },
      {
        label: 'State',
        grow: true,
        cell: ({ state, problem, by }) => (
          <>
            <ErasureBadge state={state} />{' '}
            <span className="small soft">
              by <Sent text={by} />
              {problem !== null && (
                <>
                  , <Sent text={problem} />
                </>
              )}
            </span>
          </>
        ),
      },
      { label: 'Rows', end: true, cell: (erasure) => <Count value={countRows(erasure)} /> },
      { label: 'Requested', end: true, cell: ({ requestedAt }) => <Time at={requestedAt} /> },
      { label: 'Nothing left since', end: true, cell: ({ reached }) => <Time at={reached.verified} /> },
      {
        label: 'Kafka and backups clear',
        end: true,
        cell: ({ clearAt }) =>
          clearAt === null ? (
            <Unknown />
          ) : (
            <>
              <Time at={clearAt.kafka} />
              <br />
              <Time at={clearAt.backups} />
            </>
          ),
      },
      {
        label: 'Report',
        end: true,
        isButton: true,
        cell: (erasure) => <CopyButton text={JSON.stringify(erasure, undefined, 2)} label="Copy report" />,
      },
    ]}
    empty={<Empty kind="none-yet" title="Nobody has been erased yet" />}
  />
);

/** Rows of all tables; null until they are counted. */
function countRows({ rows, reached }: ErasureView): number | null {
  const isCounted = reached.deleting !== undefined;
  return isCounted ? Object.values(rows).reduce((sum, count) => sum + count, 0) : null;
}

/** Begins erasures again whose rows a backup has brought back. */
function ReapplyDialog({ onClose }: { onClose: () => void }) {
  const toast = useToast();
  const zone = useZone();
  const [since, setSince] = useState('');
  const reapply = useAction('POST /api/privacy/reapply', ({ again, closed }) => {
    if (closed.length === 0) toast('ok', `${exactText(again)} erasures are done again by the next run.`);
    else
      toast('bad', `The backup is too old: the ids of ${exactText(closed.length)} erasures are gone. Do not use it.`);
    onClose();
  });
  return (
    <Confirm
      open
      onClose={onClose}
      title="Erase again after a restore?"
      action="Erase again"
      look="primary"
      busy={reapply.isPending}
      error={reapply.error?.message}
      onConfirm={() => since !== '' && reapply.mutate({ body: { since: fromDateTimeInput(since, zone) } })}
    >
      <p>
        A backup brings back whom it still had. Everyone who was erased since it began is erased again by the next run;
        until then, let nobody read the tables.
      </p>
      <Input
        label={`The backup began at (${zone === 'utc' ? 'UTC' : 'local time'})`}
        type="datetime-local"
        step={1}
        required
        value={since}
        onChange={({ target }) => setSince(target.value)}
      />
    </Confirm>
  );
}

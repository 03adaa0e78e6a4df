import { type LetterList, type LetterView } from '@sluice/console-api';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useMay } from '../../data/session';
import { useRead } from '../../data/use-api';
import { Badge } from '../../ui/badge';
import { Button } from '../../ui/button';
import { Card, Page } from '../../ui/card';
import { CopyButton } from '../../ui/copy';
import { Empty } from '../../ui/empty';
import { Loaded } from '../../ui/loaded';
import { bytesText, Count } from '../../ui/number';
import { Sent } from '../../ui/sent';
import { Table } from '../../ui/table';
import { Age, Time } from '../../ui/zone';
import { DismissDialog, isUntreated } from './dismiss';
import { ReplayDialog } from './replay';

const route = getRouteApi('/shell/dead-letters');

/** Dead letters by reason and one by one, to replay or dismiss. */
export function LettersPage() {
  const { topic, reason } = route.useSearch();
  const navigate = useNavigate({ from: '/dead-letters' });
  const query = { ...(topic && { topic }), ...(reason && { reason }), limit: 200 };
  const list = useRead('GET /api/dead-letters', { query }, { everyMs: 10_000 });
  const mayEdit = useMay('editor');
  const [doing, setDoing] = useState<'replay' | 'dismiss'>();
  const untreated = list.data?.letters.filter(isUntreated).map(({ id }) => id) ?? [];
  const stop = (): void => setDoing(undefined);
  const isFiltered = Boolean(topic ?? reason);
  return (
    <Page
      title="Dead letters"
      question="Messages that could not be stored, and why"
      actions={
        <>
          {isFiltered && (
            <Button
              onClick={() => {
                void navigate({ search: (now) => ({ ...now, topic: undefined, reason: undefined }) });
              }}
            >
              Clear the filters
            </Button>
          )}
          {list.data && <CopyButton text={list.data.command} label="Copy command" />}
          {mayEdit && untreated.length > 0 && (
            <Button onClick={() => setDoing('dismiss')}>{isFiltered ? 'Dismiss these' : 'Dismiss all'}</Button>
          )}
          {mayEdit && list.data && list.data.letters.length > 0 && (
            <Button look="primary" icon="replay" onClick={() => setDoing('replay')}>
              {isFiltered ? 'Replay these' : 'Replay all'}
            </Button>
          )}
        </>
      }
    >
      <Loaded of={list} lines={9}>
        {(data) => <Lists list={data} isFiltered={isFiltered} />}
      </Loaded>
      {doing === 'replay' && <ReplayDialog selection={query} onClose={stop} />}
      {doing === 'dismiss' && <DismissDialog ids={untreated} onClose={stop} />}
    </Page>
  );
}

function Lists({ list, isFiltered }: { list: LetterList; isFiltered: boolean }) {
  if (list.letters.length === 0)
    return (
      <Card>
        <Empty
          kind={isFiltered ? 'filtered' : 'well'}
          title={isFiltered ? 'No dead letter matches' : 'There are no dead letters'}
        >
          {isFiltered ? 'Clear the filters to see all.' : 'Every message was stored, or is waiting to be.'}
        </Empty>
      </Card>
    );
  return (
    <div className="stack">
      <Card title="By reason" flush>
        <Groups list={list} />
      </Card>
      <Card title="Letters" note="Newest first, at most 200" flush>
        <Table label="Dead letters" rows={list.letters} rowKey={({ id }) => id} columns={letterColumns} />
      </Card>
    </div>
  );
}

const Groups = ({ list }: { list: LetterList }) => (
  <Table
    label="Dead letters by topic and reason"
    rows={list.groups}
    rowKey={({ topic, reason }) => `${topic} ${reason}`}
    columns={[
      {
        label: 'Reason',
        grow: true,
        cell: ({ topic, reason }) => (
          <Link from="/dead-letters" to="." search={(now) => ({ ...now, topic, reason })}>
            <Sent text={reason} />
          </Link>
        ),
      },
      { label: 'Topic', cell: ({ topic }) => <code>{topic}</code> },
      { label: 'Newest', end: true, cell: ({ newest }) => <Age at={newest} /> },
      { label: 'Letters', end: true, cell: ({ letters }) => <Count value={letters} /> },
    ]}
  />
);

const letterColumns = [
  {
    label: 'Letter',
    cell: ({ id, refusedAt }: LetterView) => (
      <Link to="/dead-letters/$id" params={{ id }}>
        <Time at={refusedAt} millis />
      </Link>
    ),
  },
  { label: 'Reason', grow: true, cell: ({ reason }: LetterView) => <Sent text={reason} /> },
  { label: 'Key', grow: true, cell: ({ key }: LetterView) => <Sent className="mono" text={key ?? '–'} /> },
  {
    label: 'State',
    cell: ({ replayed, dismissed }: LetterView) =>
      replayed ? (
        <Badge state="done" text={replayed.isEdited ? 'Edited, replayed' : 'Replayed'} />
      ) : (
        <Badge state={dismissed ? 'dismissed' : 'open'} />
      ),
  },
  {
    label: 'Size',
    end: true,
    cell: ({ bytes, missingBytes }: LetterView) =>
      missingBytes > 0 ? <Badge state="failed" text="Damaged" /> : bytesText(bytes),
  },
];

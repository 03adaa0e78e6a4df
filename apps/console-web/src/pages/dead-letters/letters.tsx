import { type Dismissal, type LetterList, type LetterQuery, type LetterView } from '@sluice/console-api';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { buildRangeQuery, chooseSpan } from '../../data/range';
import { useMay } from '../../data/session';
import { useRead } from '../../data/use-api';
import { Badge } from '../../ui/badge';
import { Button } from '../../ui/button';
import { Card, Page } from '../../ui/card';
import { CopyButton } from '../../ui/copy';
import { Empty, Notice } from '../../ui/empty';
import { Loaded } from '../../ui/loaded';
import { bytesText, Count, exactText } from '../../ui/number';
import { Sent } from '../../ui/sent';
import { Table } from '../../ui/table';
import { Age, Time } from '../../ui/zone';
import { DismissDialog } from './dismiss';
import { ClearLetterFilters, hasTimes, isFilter, LetterFilters } from './letter-filters';
import { ReplayDialog } from './replay';

const route = getRouteApi('/shell/dead-letters');
/** Number of letters of a page. */
const pageLetters = 40;
const pollMs = 10_000;
/** Pause while the console still reads letters. */
const partialMs = 2_000;
/** Max number of letters that one replay takes. */
const maxReplayed = 1_000;

const replayText = (matchCount: number, isFiltered: boolean): string => {
  if (matchCount > maxReplayed) return `Replay the newest ${exactText(maxReplayed)}`;
  return isFiltered ? 'Replay these' : 'Replay all';
};

/** The action whose dialog is open, with the letters that were listed when it was chosen. */
type Doing = { replayed: LetterQuery } | { dismissed: Omit<Dismissal, 'why'>; count: number };

/** Dead letters by reason and one by one, to replay or dismiss. */
export function LettersPage() {
  const search = route.useSearch();
  const [isPartial, setPartial] = useState(false);
  const { topic, reason, source, after, older } = search;
  const times = hasTimes(search) && { span: chooseSpan(search) };
  const filter = { ...(topic && { topic }), ...(reason && { reason }), ...(source && { source }) };
  const isOlder = older === 'yes';
  const query = { ...filter, limit: pageLetters, ...(after && { after }), ...(isOlder && ({ older: 'yes' } as const)) };
  // Older letters are read from Kafka for each question.
  const everyMs = isOlder ? 0 : isPartial ? partialMs : pollMs;
  const list = useRead('GET /api/dead-letters', { query }, { everyMs, ...times });
  useEffect(() => setPartial(list.data?.isPartial ?? false), [list.data?.isPartial]);
  const isFiltered = isFilter(search);
  const [doing, setDoing] = useState<Doing>();
  const stop = (): void => setDoing(undefined);
  return (
    <Page
      title="Dead letters"
      question="Messages that could not be stored, and why"
      actions={
        <>
          {isFiltered && <ClearLetterFilters />}
          {list.data && !isOlder && !list.data.isPartial && (
            <ListActions
              list={list.data}
              isFiltered={isFiltered}
              selection={{ ...filter, ...(times && buildRangeQuery(times.span)) }}
              onChoose={setDoing}
            />
          )}
        </>
      }
    >
      <LetterFilters />
      <Loaded of={list} lines={9}>
        {(data) => (
          <>
            <WhatIsLeftOut list={data} isOlder={isOlder} onChoose={setDoing} />
            <Lists list={data} isFiltered={isFiltered} />
          </>
        )}
      </Loaded>
      {doing && 'replayed' in doing && <ReplayDialog selection={doing.replayed} onClose={stop} />}
      {doing && 'dismissed' in doing && (
        <DismissDialog selection={doing.dismissed} count={doing.count} onClose={stop} />
      )}
    </Page>
  );
}

/** Says which letters are not in the list. */
function WhatIsLeftOut({
  list: { isPartial, unlisted, unlistedUntreated, all },
  isOlder,
  onChoose,
}: {
  list: LetterList;
  isOlder: boolean;
  onChoose: (doing: Doing) => void;
}) {
  const mayEdit = useMay('editor');
  if (isPartial)
    return (
      <Notice tone="attention">
        {`The console reads all letters after its start, ${exactText(all)} so far: others are still missing here.`}
      </Notice>
    );
  if (unlisted === 0 && !isOlder) return null;
  return (
    <Notice tone="attention">
      {isOlder
        ? `These are the ${exactText(unlisted)} oldest letters, read from Kafka just now; at most 20,000 that match. `
        : `The oldest ${exactText(unlisted)} letters are too many to be listed here; ${exactText(unlistedUntreated)} of them are untreated. No filter looks at them. `}
      <Link
        from="/dead-letters"
        to="."
        search={(now) => ({ ...now, older: isOlder ? undefined : 'yes', after: undefined })}
      >
        {isOlder ? 'Back to the newest' : 'Search the oldest, too'}
      </Link>
      {mayEdit && unlistedUntreated > 0 && (
        <div className="row">
          <Button onClick={() => onChoose({ dismissed: { older: 'yes' }, count: unlistedUntreated })}>
            {`Dismiss the ${exactText(unlistedUntreated)} oldest`}
          </Button>
        </div>
      )}
    </Notice>
  );
}

interface ListActionsProps {
  list: LetterList;
  isFiltered: boolean;
  /** Query of the letters that are listed now. */
  selection: LetterQuery;
  onChoose: (doing: Doing) => void;
}

function ListActions({ list, isFiltered, selection, onChoose }: ListActionsProps) {
  const { untreated, found: matchCount, letters, command, readAt } = list;
  const mayEdit = useMay('editor');
  return (
    <>
      <CopyButton text={command} label="Copy command" />
      {mayEdit && untreated > 0 && (
        <Button
          onClick={() => {
            // Letters that come in the meantime are not what was looked at.
            onChoose({ dismissed: { to: readAt, ...selection }, count: untreated });
          }}
        >
          {`${isFiltered ? 'Dismiss these' : 'Dismiss all'} ${exactText(untreated)}`}
        </Button>
      )}
      {mayEdit && letters.length > 0 && (
        <Button look="primary" icon="replay" onClick={() => onChoose({ replayed: selection })}>
          {replayText(matchCount, isFiltered)}
        </Button>
      )}
    </>
  );
}

function Lists({ list, isFiltered }: { list: LetterList; isFiltered: boolean }) {
  // Nothing is known of letters that were not read yet.
  if (list.letters.length === 0 && list.isPartial) return null;
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
      <Card title="Letters" note={formatNote(list)} flush>
        <Table label="Dead letters" rows={list.letters} rowKey={({ id }) => id} columns={letterColumns} />
      </Card>
      <Pages next={list.next} />
    </div>
  );
}

const formatNote = ({ letters, found: matchCount, all }: LetterList): string =>
  `Newest first: ${exactText(letters.length)} of ${exactText(matchCount)}${matchCount < all ? `, of ${exactText(all)} in all` : ''}`;

/** Goes to older letters, and back to the newest; the address holds the page. */
function Pages({ next }: { next: string | null }) {
  const { after } = route.useSearch();
  const navigate = useNavigate({ from: '/dead-letters' });
  const go = (to: string | undefined): void => {
    void navigate({ search: (now) => ({ ...now, after: to }) });
  };
  if (next === null && after === undefined) return null;
  return (
    <div className="row">
      {after !== undefined && <Button onClick={() => go(undefined)}>Newest</Button>}
      {next !== null && <Button onClick={() => go(next)}>Older</Button>}
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
          <Link from="/dead-letters" to="." search={(now) => ({ ...now, topic, reason, after: undefined })}>
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
    isMinor: true,
    cell: ({ bytes, missingBytes }: LetterView) =>
      missingBytes > 0 ? <Badge state="failed" text="Damaged" /> : bytesText(bytes),
  },
];

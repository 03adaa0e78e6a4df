import { type Person, type PersonErasure, type PersonPreview } from '@sluice/console-api';
import { Link } from '@tanstack/react-router';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { download } from '../../data/call';
import { useAction } from '../../data/use-api';
import { Badge } from '../../ui/badge';
import { Button } from '../../ui/button';
import { Facts } from '../../ui/card';
import { Notice } from '../../ui/empty';
import { countWords, exactText } from '../../ui/number';
import { Sent, SentList } from '../../ui/sent';
import { Table } from '../../ui/table';
import { Confirm } from '../../ui/dialog';
import { useToast } from '../../ui/toast';
import { Time } from '../../ui/zone';
import { EraseDialog } from './erase-dialog';
import { ErasureBadge, isUnderWay } from './erasure-states';
import { useErasures } from './erasures';

interface Props {
  person: Person;
  preview: PersonPreview;
  /** Called after an action, so that the person is looked for again. */
  onChanged: () => void;
}

/** Shows what is stored of a person, and what can be done. */
export function PersonFound({ person, preview, onChanged }: Props) {
  const [isErasing, setErasing] = useState(false);
  const { ids, rows, othersDevices, rowsOfOthers, isSuppressed, hasAdRequestPaths } = preview;
  const erasures = useCurrentErasures(preview.erasures);
  const isBeingErased = erasures.some(({ state, isOfAll }) => isOfAll && isUnderWay(state));
  return (
    <section className="stack" aria-label="The person">
      <Facts
        facts={[
          ['New messages', isSuppressed ? <Badge state="dropped" /> : <Badge state="stored" text="Are stored" />],
          ['Ids', describeIds(ids)],
          ['Rows', countsText(rows, 'none stored')],
          ...(erasures.length > 0 ? [['Erasures', <ErasureList key="erasures" erasures={erasures} />] as const] : []),
        ]}
      />
      <RowsBySource preview={preview} />
      {othersDevices > 0 && (
        <Notice tone="attention">
          {exactText(othersDevices)} of their devices belong to other users, and stay unless those are the same person.
        </Notice>
      )}
      {rowsOfOthers > 0 && (
        <Notice tone="attention">
          {exactText(rowsOfOthers)} of the events are of others, in a group with an id of this person. Are ids of groups
          ids of users here?
        </Notice>
      )}
      {!hasAdRequestPaths && (
        <Notice tone="accent">
          Ad requests are not searched: <code>PRIVACY_AD_REQUEST_PATHS</code> names no path.
        </Notice>
      )}
      <div className="row">
        <ExportButton person={person} />
        <SuppressButton person={person} isSuppressed={isSuppressed} onDone={onChanged} />
        {!isBeingErased && (
          <Button look="danger" onClick={() => setErasing(true)}>
            Erase…
          </Button>
        )}
      </div>
      {isErasing && (
        <EraseDialog
          person={person}
          rows={countsText(rows, 'No rows are stored now')}
          onClose={() => setErasing(false)}
          onDone={onChanged}
        />
      )}
    </section>
  );
}

/** The erasures of the person, with their states of now: the runs go on while the page is open. */
function useCurrentErasures(erasures: readonly PersonErasure[]): PersonErasure[] {
  const current = useErasures().data?.erasures ?? [];
  const states = new Map(current.map(({ request, state }) => [request, state]));
  return erasures.map((erasure) => ({ ...erasure, state: states.get(erasure.request) ?? erasure.state }));
}

const ErasureList = ({ erasures }: { erasures: readonly PersonErasure[] }) => (
  <ul className="stack stack-tight">
    {erasures.map(({ request, state, requestedAt, isOfAll }) => (
      <li key={request} className="row">
        <ErasureBadge state={state} />
        <span>
          <code>{request}</code> of <Time at={requestedAt} />
          {!isOfAll && ', of some of these ids'}
          {isUnderWay(state) && ': the next nightly run, or operator privacy run, carries it on'}
        </span>
      </li>
    ))}
  </ul>
);

/** The sources with rows of the person, and one line for the sources without any. */
const RowsBySource = ({
  preview: { sources, found: sourceCount, emptySources, emptyCount },
}: {
  preview: PersonPreview;
}) => (
  <>
    {sources.length > 0 && (
      <Table
        label="Rows of the person by source"
        rows={sources}
        rowKey={({ sourceIdentifier }) => sourceIdentifier}
        columns={[
          { label: 'Source', grow: true, cell: sourceOfRows },
          { label: 'Rows', cell: ({ rows }) => countsText(rows, 'none') },
        ]}
      />
    )}
    {sourceCount > sources.length && (
      <p className="small soft">{`and ${exactText(sourceCount - sources.length)} more sources with fewer rows`}</p>
    )}
    {emptySources.length > 0 && (
      <p className="small soft">
        {'Searched without finding anything: '}
        <SentList texts={emptySources} />
        {describeOthers(emptyCount - emptySources.length)}
      </p>
    )}
  </>
);

const sourceOfRows = ({ sourceIdentifier, sourceName }: PersonPreview['sources'][number]) =>
  sourceIdentifier === '' ? (
    <span className="soft">refused requests without a source</span>
  ) : (
    <Link to="/sources/$id" params={{ id: sourceIdentifier }}>
      <Sent text={sourceName || sourceIdentifier} />
    </Link>
  );

const describeOthers = (count: number): string => (count > 0 ? ` and ${countWords(count, 'other', 'others')}` : '');

/** Names of the kinds of ids: one, and several. */
const idNames: Record<string, readonly [string, string]> = {
  user: ['user id', 'user ids'],
  anonymous: ['anonymous id', 'anonymous ids'],
  seller: ['seller id', 'seller ids'],
};

const describeIds = (ids: PersonPreview['ids']): string =>
  Object.entries(ids)
    .map(([kind, count]) => countWords(count, ...(idNames[kind] ?? ([kind, kind] as const))))
    .join(', ') || 'none';

/** Name of a file, different for each copy; it names nobody. */
const nameCopy = (now = new Date()): string => `person-${now.toISOString().slice(0, 19).replaceAll(':', '')}.zip`;

function ExportButton({ person }: { person: Person }) {
  const toast = useToast();
  const save = useMutation({
    mutationFn: () => download('POST /api/privacy/export', { body: person }, nameCopy()),
    onSuccess: () => toast('ok', 'The copy is in your downloads. It holds personal data.'),
    onError: (error) => toast('bad', error.message),
  });
  return (
    <Button icon="table" busy={save.isPending} onClick={() => save.mutate()}>
      Export a copy
    </Button>
  );
}

function SuppressButton({
  person,
  isSuppressed,
  onDone,
}: {
  person: Person;
  isSuppressed: boolean;
  onDone: () => void;
}) {
  const toast = useToast();
  const [isAsking, setAsking] = useState(false);
  const suppress = useAction('POST /api/privacy/suppress', ({ changed }) => {
    setAsking(false);
    toast('ok', `Messages of ${exactText(changed)} ids are dropped within two seconds.`);
    onDone();
  });
  const allow = useAction('POST /api/privacy/unsuppress', () => {
    toast('ok', 'Messages of the person are stored again within two seconds.');
    onDone();
  });
  if (isSuppressed)
    return (
      <Button
        icon="play"
        busy={allow.isPending}
        onClick={() => allow.mutate({ body: person }, { onError: (error) => toast('bad', error.message) })}
      >
        Store their messages again
      </Button>
    );
  return (
    <>
      <Button icon="pause" onClick={() => setAsking(true)}>
        Drop their messages
      </Button>
      <Confirm
        open={isAsking}
        onClose={() => setAsking(false)}
        title="Drop their messages?"
        action="Drop their messages"
        busy={suppress.isPending}
        error={suppress.error?.message}
        onConfirm={() => suppress.mutate({ body: person })}
      >
        <p>What arrives from the person from then on is not stored, and cannot be restored. Stored rows stay.</p>
      </Confirm>
    </>
  );
}

/** `31 events, 2 users` */
function countsText(counts: Readonly<Record<string, number>>, none: string): string {
  const presentCounts = Object.entries(counts).filter(([, count]) => count > 0);
  return presentCounts.length === 0
    ? none
    : presentCounts.map(([table, count]) => countWords(count, toSingular(table), table)).join(', ');
}

/** `identifies` to `identify`, `push_devices` to `push_device`. */
const toSingular = (table: string): string => table.replace(/ies$/, 'y').replace(/s$/, '');

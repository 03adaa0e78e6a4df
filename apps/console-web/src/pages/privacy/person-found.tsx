import { type Person, type PersonPreview } from '@sluice/console-api';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { download } from '../../data/call';
import { useAction } from '../../data/use-api';
import { Badge } from '../../ui/badge';
import { Button } from '../../ui/button';
import { Facts } from '../../ui/card';
import { Notice } from '../../ui/empty';
import { exactText } from '../../ui/number';
import { Sent } from '../../ui/sent';
import { useToast } from '../../ui/toast';
import { EraseDialog } from './erase-dialog';

interface Props {
  person: Person;
  preview: PersonPreview;
  /** Called after an action, so that the person is looked for again. */
  onChanged: () => void;
}

/** What is stored of a person, and what can be done. */
export function PersonFound({ person, preview, onChanged }: Props) {
  const [isErasing, setErasing] = useState(false);
  const { ids, rows, sources, othersDevices, isSuppressed, hasAdRequestPaths } = preview;
  return (
    <section className="stack" aria-label="The person">
      <Facts
        facts={[
          ['Messages', isSuppressed ? <Badge state="dropped" /> : <Badge state="stored" />],
          ['Ids', countsText(ids, 'none')],
          ['Rows', countsText(rows, 'none stored')],
          ['Sources', <Sent key="sources" text={sourcesText(sources)} />],
        ]}
      />
      {othersDevices > 0 && (
        <Notice tone="attention">
          {exactText(othersDevices)} of their devices belong to other users, and stay unless those are the same person.
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
        <Button look="danger" onClick={() => setErasing(true)}>
          Erase…
        </Button>
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

function ExportButton({ person }: { person: Person }) {
  const toast = useToast();
  const save = useMutation({
    mutationFn: () => download('POST /api/privacy/export', { body: person }, 'person.zip'),
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
  const suppress = useAction('POST /api/privacy/suppress', ({ changed }) => {
    toast('ok', `Messages of ${exactText(changed)} ids are dropped within two seconds.`);
    onDone();
  });
  const allow = useAction('POST /api/privacy/unsuppress', () => {
    toast('ok', 'Messages of the person are stored again within two seconds.');
    onDone();
  });
  const action = isSuppressed ? allow : suppress;
  return (
    <Button
      icon={isSuppressed ? 'play' : 'pause'}
      busy={action.isPending}
      onClick={() => action.mutate({ body: person }, { onError: (error) => toast('bad', error.message) })}
    >
      {isSuppressed ? 'Store their messages again' : 'Drop their messages'}
    </Button>
  );
}

const maxSources = 5;

const sourcesText = (sources: readonly string[]): string =>
  sources.length > maxSources
    ? `${sources.slice(0, maxSources).join(', ')} and ${sources.length - maxSources} more`
    : sources.join(', ');

/** `31 events, 2 users` */
function countsText(counts: Readonly<Record<string, number>>, none: string): string {
  const known = Object.entries(counts).filter(([, count]) => count > 0);
  return known.length === 0 ? none : known.map(([name, count]) => `${exactText(count)} ${name}`).join(', ');
}

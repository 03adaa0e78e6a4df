import { type ChangedEvent, type PlanChange, type PlanComparison } from '@sluice/console-api';
import { useState } from 'react';
import { useRead } from '../../data/use-api';
import { Icon } from '../../ui/icon';
import { Loaded } from '../../ui/loaded';
import { countWords, exactText } from '../../ui/number';
import { Pages } from '../../ui/pages';
import { Sent } from '../../ui/sent';
import './plans.css';

/** Comparisons of at most so many events show all of their changes at first. */
const maxOpen = 8;
/** Number of events of a page. */
const pageOfEvents = 40;

interface Props {
  comparison: PlanComparison;
  /** Name of the other plan, such as `version 2`. */
  before: string;
}

/** Shows how one plan differs from another: events added, removed and changed. */
export function Comparison({ comparison: { settings, events, added: addedCount, removed, changed }, before }: Props) {
  if (settings.length === 0 && addedCount + removed + changed === 0)
    return <p className="soft">It does not differ from {before}.</p>;
  return (
    <section aria-label={`Differences from ${before}`} className="stack stack-tight">
      <p>
        {`Compared with ${before}: ${countWords(addedCount, 'event', 'events')} added, ${removed} removed, ${changed} changed.`}
      </p>
      {settings.length > 0 && <Changes changes={settings} whole="Plan" />}
      <ul className="changed-events">
        {events.map((event) => (
          <EventChanges key={event.event} event={event} isOpenFirst={events.length <= maxOpen} />
        ))}
      </ul>
    </section>
  );
}

const words = { added: 'Added', removed: 'Removed', changed: 'Changed' };

function EventChanges({ event: changed, isOpenFirst }: { event: ChangedEvent; isOpenFirst: boolean }) {
  const { event, kind, changes, found: changeCount } = changed;
  const [isOpen, setOpen] = useState(isOpenFirst);
  return (
    <li>
      <button type="button" className="planned-event" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <Icon name={isOpen ? 'down' : 'right'} size={14} />
        <span className={`change-kind change-${kind}`}>{words[kind]}</span>
        <strong>{event === '' ? 'Traits of identify' : <Sent text={event} />}</strong>
      </button>
      {isOpen && <Changes changes={changes} whole="All properties" />}
      {isOpen && changeCount > changes.length && (
        <p className="small soft">{`and ${exactText(changeCount - changes.length)} more changes`}</p>
      )}
    </li>
  );
}

const Changes = ({ changes, whole }: { changes: readonly PlanChange[]; whole: string }) => (
  <ul className="changes">
    {changes.map(({ path, before, after }) => (
      <li key={path}>
        <code>{path === '' ? whole : <Sent text={path} />}</code>
        {before !== null && (
          <del>
            <span className="visually-hidden">before: </span>
            <Sent text={before} />
          </del>
        )}
        {after !== null && (
          <ins>
            <span className="visually-hidden">now: </span>
            <Sent text={after} />
          </ins>
        )}
      </li>
    ))}
  </ul>
);

interface ComparedProps {
  id: string;
  before: number;
  after: number;
  /** Words after the number of the version before. */
  note?: string;
}

/** The differences between two versions of a source's plan, page by page. */
export function Compared({ id, before, after, note = '' }: ComparedProps) {
  const [page, setPage] = useState(1);
  const query = { before, after, skip: (page - 1) * pageOfEvents, limit: pageOfEvents };
  const reading = useRead('GET /api/sources/:id/plans/comparison', { path: { id }, query });
  return (
    <Loaded of={reading}>
      {(comparison) => (
        <>
          <Comparison comparison={comparison} before={`version ${before}${note}`} />
          <Pages
            label="Pages of the comparison"
            page={page}
            size={pageOfEvents}
            matchCount={comparison.added + comparison.removed + comparison.changed}
            onPage={setPage}
          />
        </>
      )}
    </Loaded>
  );
}

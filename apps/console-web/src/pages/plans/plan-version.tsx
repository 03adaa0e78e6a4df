import { type NewActivation, type PlannedEvent, type PlanUse, type PlanView } from '@sluice/console-api';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { download } from '../../data/call';
import { useRead } from '../../data/use-api';
import { Button } from '../../ui/button';
import { Card, Facts } from '../../ui/card';
import { Empty } from '../../ui/empty';
import { Select } from '../../ui/field';
import { Icon } from '../../ui/icon';
import { Loaded } from '../../ui/loaded';
import { countWords } from '../../ui/number';
import { pageNote, Pages } from '../../ui/pages';
import { SearchField } from '../../ui/search-field';
import { Sent } from '../../ui/sent';
import { useToast } from '../../ui/toast';
import { Time } from '../../ui/zone';
import { ActivationDialog } from './activation-dialog';
import { Compared } from './comparison';
import { modeText, PlanState } from './plan-state';
import { PropertyTable } from './property-table';
import './plans.css';

const route = getRouteApi('/shell/sources/$id');
/** Number of events of a page. */
const pageEvents = 40;

interface Props {
  id: string;
  version: number;
  mayEdit: boolean;
}

/** One version of a plan for people: its events and their properties, and how it differs from another version. */
export function PlanVersion({ id, version, mayEdit }: Props) {
  const { text, page = 1, with: comparedVersion } = route.useSearch();
  const query = { ...(text && { text }), skip: (page - 1) * pageEvents, limit: pageEvents };
  const path = { id, version: String(version) };
  const reading = useRead('GET /api/sources/:id/plans/versions/:version', { path, query }, { everyMs: 5000 });
  return (
    <div className="stack">
      <div className="row row-apart">
        <Link
          from="/sources/$id"
          to="."
          search={(now) => ({ ...now, plan: undefined, with: undefined, text: undefined, page: undefined })}
        >
          All plans of this source
        </Link>
        {mayEdit && (
          <div className="row">
            <DownloadButton {...path} />
            {reading.data && <ActivateButtons plan={reading.data} />}
          </div>
        )}
      </div>
      <Loaded of={reading} lines={8}>
        {(plan) => (
          <>
            <PlanCard plan={plan} />
            <ComparisonCard id={id} version={version} comparedVersion={comparedVersion} />
            <EventsCard id={id} plan={plan} page={page} />
          </>
        )}
      </Loaded>
    </div>
  );
}

function DownloadButton({ id, version }: { id: string; version: string }) {
  const toast = useToast();
  const save = (): void => {
    const name = `plan-${id}-${version}.json`;
    download('GET /api/sources/:id/plans/versions/:version/file', { path: { id, version } }, name).catch(
      (error: unknown) => toast('bad', (error as Error).message),
    );
  };
  return <Button onClick={save}>Download as JSON</Button>;
}

/** Activates the version in its source, or changes how it judges there. */
function ActivateButtons({ plan: { version, uses, mode: ownMode } }: { plan: PlanView }) {
  const [activation, setActivation] = useState<NewActivation>();
  const [use] = uses;
  if (!use) return null;
  const { sourceIdentifier, state, versions, candidate } = use;
  const mode = use.mode ?? ownMode ?? 'observe';
  const isActive = state === 'active';
  const activate = (): void =>
    setActivation(
      isActive
        ? { versions: [...versions], mode, candidate }
        : { versions: [version], mode, candidate: candidate === version ? null : candidate },
    );
  return (
    <>
      {use.mode !== null && (
        <Button onClick={() => setActivation({ versions: [], mode, candidate: null })}>Stop judging</Button>
      )}
      <Button look={isActive ? 'plain' : 'primary'} onClick={activate}>
        {isActive ? 'Change its mode' : `Activate version ${version}`}
      </Button>
      {activation && (
        <ActivationDialog
          id={sourceIdentifier}
          activation={activation}
          onChange={setActivation}
          onClose={() => setActivation(undefined)}
        />
      )}
    </>
  );
}

const PlanCard = ({ plan: { version, description, uses, mode, additionalEvents } }: { plan: PlanView }) => {
  const [use, ...otherUses] = uses;
  return (
    <Card title={`Plan, version ${version}`} note={description === '' ? undefined : <Sent text={description} />}>
      <Facts
        facts={[
          ...(use ? [['In this source', <UseText key="use" version={version} use={use} />] as const] : []),
          ...(otherUses.length > 0
            ? [['In other sources', <OtherUses key="others" version={version} uses={otherUses} />] as const]
            : []),
          ['Proposed mode', mode ?? 'none'],
          ['Other events', additionalEvents ? 'fit' : 'violate it'],
        ]}
      />
    </Card>
  );
};

/** Says whether a version judges the messages of a source, how, and since when. */
const UseText = ({ version, use }: { version: number; use: PlanUse }) => (
  <span className="plan-use">
    <PlanState state={use.state} />
    {use.state === 'active' && use.mode && (
      <span>
        {`in mode ${use.mode}, since`} <Time at={use.activatedAt} />
      </span>
    )}
    <span className="soft">{describeUse(version, use)}</span>
  </span>
);

function describeUse(version: number, { state, mode, versions }: PlanUse): string {
  const otherVersions = versions.filter((activeVersion) => activeVersion !== version);
  const otherNames = `${otherVersions.length === 1 ? 'version' : 'versions'} ${otherVersions.join(', ')}`;
  if (state === 'active' && mode)
    return otherVersions.length === 0 ? modeText[mode] : `${modeText[mode]} What fits ${otherNames} fits, too.`;
  if (state === 'candidate') return 'It only observes, and changes nothing.';
  if (otherVersions.length === 0) return 'It judges nothing, and neither does another version.';
  return `It judges nothing. In mode ${mode ?? 'observe'}, ${otherNames} ${otherVersions.length === 1 ? 'is' : 'are'} active.`;
}

/** Most other sources that are shown. */
const maxOtherUses = 20;

const OtherUses = ({ version, uses }: { version: number; uses: readonly PlanUse[] }) => (
  <ul className="stack stack-tight">
    {uses.slice(0, maxOtherUses).map((use) => (
      <li key={use.sourceIdentifier} className="plan-use">
        <Link
          to="/sources/$id"
          params={{ id: use.sourceIdentifier }}
          search={(now) => ({ ...now, tab: 'plans', plan: version })}
        >
          <Sent text={use.sourceName || use.sourceIdentifier} />
        </Link>
        <PlanState state={use.state} />
        {use.state === 'active' && use.mode && <span>{`in mode ${use.mode}`}</span>}
      </li>
    ))}
    {uses.length > maxOtherUses && <li className="soft">{`and ${uses.length - maxOtherUses} more`}</li>}
  </ul>
);

function ComparisonCard({
  id,
  version,
  comparedVersion,
}: {
  id: string;
  version: number;
  comparedVersion: number | undefined;
}) {
  const navigate = useNavigate({ from: '/sources/$id' });
  const plans = useRead('GET /api/sources/:id/plans', { path: { id }, query: { limit: 100 } });
  const versions = (plans.data?.plans ?? [])
    .map((plan) => plan.version)
    .filter((planVersion) => planVersion !== version);
  const choices =
    comparedVersion === undefined || versions.includes(comparedVersion) ? versions : [comparedVersion, ...versions];
  if (choices.length === 0) return null;
  return (
    <Card title="Compare" note="What this version demands differently from another">
      <div className="stack">
        <Select
          label="Compared with"
          value={String(comparedVersion ?? '')}
          options={[
            { value: '', label: 'No other version' },
            ...choices.map((choice) => ({ value: String(choice), label: `Version ${choice}` })),
          ]}
          onChange={({ target }) => {
            const chosen = target.value === '' ? undefined : Number(target.value);
            void navigate({ search: (now) => ({ ...now, with: chosen }), replace: true });
          }}
        />
        {comparedVersion !== undefined && <Compared id={id} before={comparedVersion} after={version} />}
      </div>
    </Card>
  );
}

function EventsCard({ id, plan, page }: { id: string; plan: PlanView; page: number }) {
  const { text = '' } = route.useSearch();
  const navigate = useNavigate({ from: '/sources/$id' });
  const { version, events, traits, found: matchCount, all } = plan;
  const shownEvents = traits && page === 1 && text === '' ? [traits, ...events] : events;
  return (
    <>
      <form className="filters" aria-label="Filters of events" onSubmit={(event) => event.preventDefault()}>
        <SearchField
          label="Event or property"
          value={text}
          onSearch={(typed) => {
            void navigate({ search: (now) => ({ ...now, text: typed || undefined, page: undefined }), replace: true });
          }}
        />
      </form>
      <Card title="Events" note={pageNote(events.length, (page - 1) * pageEvents, { found: matchCount, all })} flush>
        {shownEvents.length === 0 ? (
          <Empty
            kind={all === 0 ? 'none-yet' : 'filtered'}
            title={all === 0 ? 'The plan names no events' : 'No event matches'}
          />
        ) : (
          <ul className="planned-events" aria-label="Events of the plan">
            {shownEvents.map((event) => (
              <EventItem key={event.name} id={id} version={version} event={event} />
            ))}
          </ul>
        )}
      </Card>
      <Pages
        label="Pages of events"
        {...{ page, matchCount }}
        size={pageEvents}
        onPage={(to) => {
          void navigate({ search: (now) => ({ ...now, page: to === 1 ? undefined : to }) });
        }}
      />
    </>
  );
}

/** An event; its properties are read when it is opened. */
function EventItem({ id, version, event }: { id: string; version: number; event: PlannedEvent }) {
  const [isOpen, setOpen] = useState(false);
  const { name, description, rules, properties, required } = event;
  return (
    <li>
      <button type="button" className="planned-event" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <Icon name={isOpen ? 'down' : 'right'} size={14} />
        <strong>{name === '' ? 'Traits of identify' : <Sent text={name} />}</strong>
        <span className="small soft">
          {[`${countWords(properties, 'property', 'properties')}, ${required} required`, ...rules].join(' · ')}
        </span>
        {description !== '' && (
          <span className="planned-event-description">
            <Sent text={description} />
          </span>
        )}
      </button>
      {isOpen && <Properties id={id} version={version} name={name} />}
    </li>
  );
}

function Properties({ id, version, name }: { id: string; version: number; name: string }) {
  const path = { id, version: String(version) };
  const query = name === '' ? {} : { event: name };
  const reading = useRead('GET /api/sources/:id/plans/versions/:version/properties', { path, query });
  return (
    <Loaded of={reading} lines={3}>
      {({ properties }) => <PropertyTable name={name} properties={properties} />}
    </Loaded>
  );
}

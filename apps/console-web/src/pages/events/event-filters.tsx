import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useRead } from '../../data/use-api';
import { Input, Select } from '../../ui/field';
import './events.css';

/** Filters of both lists of events; the address holds them. */
export interface EventSearch {
  source?: string;
  user?: string;
  event?: string;
  topic?: string;
  /** Live rows only. */
  state?: string;
  /** Stored rows only. */
  text?: string;
}
type Filter = keyof EventSearch;

const states = [
  { value: '', label: 'Any state' },
  { value: 'stored', label: 'Stored' },
  { value: 'in-kafka', label: 'In Kafka' },
  { value: 'refused', label: 'Refused' },
];

const topics = [
  ['', 'All kinds'],
  ['tracking.track.v1', 'Events (track)'],
  ['tracking.identify.v1', 'Traits (identify)'],
  ['catalog.product.v1', 'Products'],
  ['catalog.product-variant.v1', 'Product variants'],
  ['catalog.category.v1', 'Categories'],
  ['catalog.seller.v1', 'Sellers'],
  ['catalog.general.v1', 'General entities'],
  ['push.interaction.v1', 'Push interactions'],
  ['push.device.v1', 'Push devices'],
  ['rtb.ad-request.v1', 'Ad requests'],
].map(([value = '', label = '']) => ({ value, label }));

export const hasFilter = ({ source, user, event, topic, state, text }: EventSearch): boolean =>
  Boolean(source ?? user ?? event ?? topic ?? state ?? text);

/** The filters of an address, without its other parts. */
export const filtersOf = ({ source, user, event, topic, state, text }: EventSearch): EventSearch => ({
  ...(source !== undefined && { source }),
  ...(user !== undefined && { user }),
  ...(event !== undefined && { event }),
  ...(topic !== undefined && { topic }),
  ...(state !== undefined && { state }),
  ...(text !== undefined && { text }),
});

/** Search without any filter; the zone and the time stay. */
export const noFilter = {
  source: undefined,
  user: undefined,
  event: undefined,
  topic: undefined,
  state: undefined,
  text: undefined,
};

export function EventFilters({ isLive }: { isLive: boolean }) {
  const search: EventSearch = useSearch({ strict: false });
  const navigate = useNavigate();
  const { data: sources } = useRead('GET /api/sources');
  const set = (name: Filter, value: string): void => {
    void navigate({ to: '.', search: (now) => ({ ...now, [name]: value === '' ? undefined : value }), replace: true });
  };
  const choose = (name: Filter) => (event: { target: { value: string } }) => set(name, event.target.value);
  const known = (sources ?? []).map(({ sourceIdentifier, name }, _, all) => {
    // Names may repeat; the identifier makes them distinct.
    const isAlone = all.filter((one) => one.name === name).length === 1;
    return { value: sourceIdentifier, label: isAlone ? name : `${name} (${sourceIdentifier})` };
  });
  return (
    <form className="filters" aria-label="Filters" onSubmit={(event) => event.preventDefault()}>
      <Select
        label="Source"
        options={[{ value: '', label: 'All sources' }, ...known]}
        value={search.source ?? ''}
        onChange={choose('source')}
      />
      <Select label="Kind" options={topics} value={search.topic ?? ''} onChange={choose('topic')} />
      <TextFilter name="event" label="Event" value={search.event ?? ''} onSet={set} />
      <TextFilter name="user" label="User or anonymous id" value={search.user ?? ''} onSet={set} />
      {isLive ? (
        <Select label="State" options={states} value={search.state ?? ''} onChange={choose('state')} />
      ) : (
        <TextFilter name="text" label="Text in the message" value={search.text ?? ''} onSet={set} />
      )}
    </form>
  );
}

interface TextFilterProps {
  name: Filter;
  label: string;
  value: string;
  onSet: (name: Filter, value: string) => void;
}

/** Filters on Enter or when the field is left, so that not every letter asks a new question. */
function TextFilter({ name, label, value, onSet }: TextFilterProps) {
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  return (
    <Input
      label={label}
      placeholder="any"
      value={text}
      onChange={(event) => setText(event.target.value)}
      onBlur={() => {
        if (text !== value) onSet(name, text.trim());
      }}
      onKeyDown={(event) => {
        if (event.key === 'Enter') onSet(name, text.trim());
      }}
    />
  );
}

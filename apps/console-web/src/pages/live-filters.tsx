import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useRead } from '../data/use-api';
import { Input, Select } from '../ui/field';

const route = getRouteApi('/shell/live');

type Filter = 'source' | 'user' | 'event' | 'state';

const states = [
  { value: '', label: 'Any state' },
  { value: 'stored', label: 'Stored' },
  { value: 'in-kafka', label: 'In Kafka' },
  { value: 'refused', label: 'Refused' },
];

/** Filters of the stream; the address holds them. */
export function LiveFilters() {
  const search = route.useSearch();
  const navigate = useNavigate({ from: '/live' });
  const { data: sources } = useRead('GET /api/sources');
  const set = (name: Filter, value: string): void => {
    void navigate({ search: (now) => ({ ...now, [name]: value === '' ? undefined : value }), replace: true });
  };
  const known = (sources ?? []).map(({ sourceIdentifier, name }) => ({ value: sourceIdentifier, label: name }));
  return (
    <form
      className="filters"
      aria-label="Filters"
      onSubmit={(event) => {
        event.preventDefault();
      }}
    >
      <Select
        label="Source"
        options={[{ value: '', label: 'All sources' }, ...known]}
        value={search.source ?? ''}
        onChange={(event) => {
          set('source', event.target.value);
        }}
      />
      <TextFilter name="user" label="User or anonymous id" value={search.user ?? ''} onSet={set} />
      <TextFilter name="event" label="Event" value={search.event ?? ''} onSet={set} />
      <Select
        label="State"
        options={states}
        value={search.state ?? ''}
        onChange={(event) => {
          set('state', event.target.value);
        }}
      />
    </form>
  );
}

interface TextFilterProps {
  name: Filter;
  label: string;
  value: string;
  onSet: (name: Filter, value: string) => void;
}

/** Filters when the typing rests, so that the stream is not opened anew with each letter. */
function TextFilter({ name, label, value, onSet }: TextFilterProps) {
  const [text, setText] = useState(value);
  useEffect(() => {
    setText(value);
  }, [value]);
  return (
    <Input
      label={label}
      placeholder="any"
      value={text}
      onChange={(event) => {
        setText(event.target.value);
      }}
      onBlur={() => {
        if (text !== value) onSet(name, text.trim());
      }}
      onKeyDown={(event) => {
        if (event.key === 'Enter') onSet(name, text.trim());
      }}
    />
  );
}

import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { type SubmitEvent, useEffect, useState } from 'react';
import { spanSearch, type SpanSearch, chooseSpan } from '../../data/range';
import { Button } from '../../ui/button';
import { Input } from '../../ui/field';
import { RangePicker } from '../../ui/range-picker';

const route = getRouteApi('/shell/dead-letters');
const anyTime = { range: undefined, from: undefined, to: undefined };
const noFilter = { topic: undefined, reason: undefined, source: undefined, after: undefined, ...anyTime };

export const hasTimes = ({ range, from }: SpanSearch): boolean => Boolean(range ?? from);

export const isFilter = (search: SpanSearch & { topic?: string; reason?: string; source?: string }): boolean =>
  Boolean(search.topic ?? search.reason ?? search.source) || hasTimes(search);

export function ClearLetterFilters() {
  const navigate = useNavigate({ from: '/dead-letters' });
  return (
    <Button
      onClick={() => {
        void navigate({ search: (now) => ({ ...now, ...noFilter }) });
      }}
    >
      Clear the filters
    </Button>
  );
}

/** Filters of all letters, on Enter, and their time; the address holds them. */
export function LetterFilters() {
  const search = route.useSearch();
  const { source, reason } = search;
  const navigate = useNavigate({ from: '/dead-letters' });
  const [texts, setTexts] = useState({ source: source ?? '', reason: reason ?? '' });
  useEffect(() => setTexts({ source: source ?? '', reason: reason ?? '' }), [source, reason]);
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    const set = { source: texts.source.trim() || undefined, reason: texts.reason.trim() || undefined };
    void navigate({ search: (now) => ({ ...now, ...set, after: undefined }) });
  };
  return (
    <>
      <form className="row" style={{ alignItems: 'flex-end' }} aria-label="Filters" onSubmit={submit}>
        <Input
          label="Source"
          placeholder="any identifier"
          value={texts.source}
          onChange={({ target }) => setTexts({ ...texts, source: target.value })}
        />
        <Input
          label="Reason contains"
          placeholder="any"
          value={texts.reason}
          onChange={({ target }) => setTexts({ ...texts, reason: target.value })}
        />
        <Button type="submit">Filter</Button>
      </form>
      <RangePicker
        value={chooseSpan(search)}
        onChange={(next) => {
          void navigate({ search: (now) => ({ ...now, ...spanSearch(next), after: undefined }) });
        }}
        otherChoice={{
          label: 'Any time',
          isOn: !hasTimes(search),
          onChoose: () => {
            void navigate({ search: (now) => ({ ...now, ...anyTime, after: undefined }) });
          },
        }}
      />
    </>
  );
}

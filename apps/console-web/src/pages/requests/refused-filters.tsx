import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { Button } from '../../ui/button';
import { SourcePicker } from '../../ui/source-picker';
import { TextFilter } from '../../ui/text-filter';

const route = getRouteApi('/shell/refused');

/** The places of both lists, for a change of what they list. */
export const firstPages = { page: undefined, before: undefined };

interface Change {
  source?: string | undefined;
  reason?: string | undefined;
  text?: string | undefined;
}

function useChange(): (change: Change) => void {
  const navigate = useNavigate({ from: '/refused' });
  return (change) => {
    void navigate({ search: (now) => ({ ...now, ...change, ...firstPages }), replace: true });
  };
}

/** Filters of the list of refusals, kept in the URL. They are shown before the first answer arrives. */
export function RefusedFilters() {
  const { source = '', reason, text } = route.useSearch();
  const change = useChange();
  return (
    <form className="filters" aria-label="Filters" onSubmit={(event) => event.preventDefault()}>
      <SourcePicker value={source} onChange={(id) => change({ source: id || undefined })} />
      <TextFilter
        label="Reason, or a part of it"
        maxLength={100}
        value={reason ?? text ?? ''}
        onSet={(typed) => change({ reason: undefined, text: typed || undefined })}
      />
    </form>
  );
}

export function ClearRefusedFilters() {
  const { source, reason, text } = route.useSearch();
  const change = useChange();
  if (source === undefined && reason === undefined && text === undefined) return null;
  return (
    <Button onClick={() => change({ source: undefined, reason: undefined, text: undefined })}>Clear the filters</Button>
  );
}

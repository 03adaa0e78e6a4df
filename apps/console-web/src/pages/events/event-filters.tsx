import { useNavigate, useSearch } from '@tanstack/react-router';
import { Select } from '../../ui/field';
import { SourcePicker } from '../../ui/source-picker';
import { TextFilter } from '../../ui/text-filter';
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
export const pickFilters = ({ source, user, event, topic, state, text }: EventSearch): EventSearch => ({
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
  const set = (name: Filter, value: string): void => {
    void navigate({ to: '.', search: (now) => ({ ...now, [name]: value === '' ? undefined : value }), replace: true });
  };
  const choose = (name: Filter) => (event: { target: { value: string } }) => set(name, event.target.value);
  return (
    <form className="filters" aria-label="Filters" onSubmit={(event) => event.preventDefault()}>
      <SourcePicker value={search.source ?? ''} onChange={(source) => set('source', source)} />
      <Select label="Kind" options={topics} value={search.topic ?? ''} onChange={choose('topic')} />
      <TextFilter label="Event" value={search.event ?? ''} onSet={(text) => set('event', text)} />
      <TextFilter label="User or anonymous id" value={search.user ?? ''} onSet={(text) => set('user', text)} />
      {isLive ? (
        <Select label="State" options={states} value={search.state ?? ''} onChange={choose('state')} />
      ) : (
        <TextFilter label="Text in the message" value={search.text ?? ''} onSet={(text) => set('text', text)} />
      )}
    </form>
  );
}

import { type SearchHit, type SearchResult } from '@sluice/console-api';
import { getRouteApi, Link, useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useRead } from '../../data/use-api';
import { Card, Page } from '../../ui/card';
import { Empty, Notice } from '../../ui/empty';
import { Icon, type IconName } from '../../ui/icon';
import { Loaded } from '../../ui/loaded';
import { Sent } from '../../ui/sent';
import './search.css';

const route = getRouteApi('/shell/search');

/** Sources, requests, users, events and dead letters that a text may mean. */
export function SearchPage() {
  const { q = '' } = route.useSearch();
  const searchRead = useRead('GET /api/search', { query: { q } }, { enabled: q !== '' });
  const router = useRouter();
  const only = searchRead.isPending || searchRead.data?.hits.length !== 1 ? undefined : searchRead.data.hits[0];
  useEffect(() => {
    if (only) router.history.replace(only.to);
  }, [router, only]);
  return (
    <Page title="Search" question={<Sent text={q} />}>
      {q === '' ? (
        <Empty kind="filtered" title="Type something to search for" />
      ) : (
        <Card flush>
          <Loaded of={searchRead} lines={4}>
            {(result) => <Hits result={result} />}
          </Loaded>
        </Card>
      )}
      {q !== '' && (
        <div className="row">
          <Link to="/events" search={{ text: q }} className="button button-plain">
            Search inside messages
          </Link>
          <Link to="/live" search={{ user: q }} className="button button-plain">
            Watch this user live
          </Link>
        </div>
      )}
    </Page>
  );
}

function Hits({ result: { hits, problems } }: { result: SearchResult }) {
  return (
    <>
      {problems.map((problem) => (
        <Notice key={problem} tone="attention">
          {problem}
        </Notice>
      ))}
      {hits.length === 0 ? (
        <Empty kind="filtered" title="Nothing found">
          No source, user, event, request or dead letter of the last 7 days has this name or id.
        </Empty>
      ) : (
        <ul className="hits" aria-label="Results">
          {hits.map((hit) => (
            <Hit key={`${hit.kind} ${hit.to}`} hit={hit} />
          ))}
        </ul>
      )}
    </>
  );
}

const kinds: Record<SearchHit['kind'], readonly [IconName, string]> = {
  source: ['sources', 'Source'],
  request: ['pipeline', 'Request'],
  letter: ['letters', 'Dead letter'],
  user: ['user', 'User'],
  event: ['overview', 'Event'],
};

function Hit({ hit: { kind, title, detail, to } }: { hit: SearchHit }) {
  const router = useRouter();
  const [icon, name] = kinds[kind];
  return (
    <li>
      <a
        href={to}
        className="hit"
        onClick={(event) => {
          if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
          event.preventDefault();
          router.history.push(to);
        }}
      >
        <Icon name={icon} />
        <span className="hit-kind small soft">{name}</span>
        <strong>
          <Sent text={title} />
        </strong>
        <span className="small soft">{detail}</span>
      </a>
    </li>
  );
}

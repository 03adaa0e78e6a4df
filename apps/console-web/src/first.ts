import { askEarly } from './data/early';
import { isRange, startOf } from './data/range';

// Runs while the page's code is still fetched and read: the first answers are there when that is done.

const { pathname, search } = location;
const given = new URLSearchParams(search);
const range = given.get('range');
const from = startOf(isRange(range) ? range : '1h');

interface First {
  readonly code: () => Promise<unknown>;
  readonly ask: () => void;
}

const askStatus = (): void => {
  askEarly('GET /api/status');
};
const askSources = (): void => {
  askEarly('GET /api/sources');
};

/** Code of pages, and what they ask first. A page that is missing here asks by itself, a little later. */
const pages: Record<string, First> = {
  '/': {
    code: () => import('./pages/overview'),
    ask: () => {
      askStatus();
      askEarly('GET /api/overview', { query: { from } });
    },
  },
  '/live': { code: () => import('./pages/live'), ask: askSources },
  '/refused': {
    code: () => import('./pages/refused'),
    ask: () => {
      askEarly('GET /api/refused', { query: { from } });
    },
  },
  '/sources': { code: () => import('./pages/sources'), ask: askSources },
  '/pipeline': { code: () => import('./pages/pipeline'), ask: askStatus },
  '/dead-letters': {
    code: () => import('./pages/letters'),
    ask: () => {
      askEarly('GET /api/dead-letters', { query: { limit: 200 } });
    },
  },
};
const isFiltered = ['source', 'reason', 'topic', 'new'].some((name) => given.has(name));

askEarly('GET /api/session');
if (pathname !== '/login') {
  askEarly('GET /api/servers');
  const page = pages[pathname];
  if (!isFiltered) page?.ask();
  // The router meets the same failure, and shows it.
  page?.code().catch(() => undefined);
}

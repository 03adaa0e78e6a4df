import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  retainSearchParams,
} from '@tanstack/react-router';
import { isRange, type SpanSearch } from '../data/range';
import { Failed, Missing } from './failed';
import { Root } from './root';
import { Shell } from './shell';

type Raw = Record<string, unknown>;

/** A text of the address; numbers in it were read as JSON. */
const text = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : typeof value === 'number' ? String(value) : undefined;
const texts = <Name extends string>(raw: Raw, ...names: Name[]): Partial<Record<Name, string>> =>
  Object.fromEntries(names.flatMap((name) => (text(raw[name]) ? [[name, text(raw[name])]] : []))) as Partial<
    Record<Name, string>
  >;
const isTime = (value: unknown): value is string => typeof value === 'string' && !Number.isNaN(Date.parse(value));
/** A span of time: a length until now, or two times. */
const span = ({ range, from, to }: Raw): SpanSearch =>
  isTime(from) && isTime(to) ? { from, to } : isRange(range) ? { range } : {};

const root = createRootRoute({
  validateSearch: (raw: Raw): { tz?: 'local' } => (raw['tz'] === 'local' ? { tz: 'local' } : {}),
  search: { middlewares: [retainSearchParams(['tz'])] },
  component: Root,
  notFoundComponent: Missing,
});
const shell = createRoute({ getParentRoute: () => root, id: 'shell', component: Shell });

const login = createRoute({
  getParentRoute: () => root,
  path: '/login',
  validateSearch: (raw: Raw) => texts(raw, 'to', 'problem'),
  component: lazyRouteComponent(() => import('../pages/sign-in/login'), 'LoginPage'),
});
const overview = createRoute({
  getParentRoute: () => shell,
  path: '/',
  validateSearch: span,
  component: lazyRouteComponent(() => import('../pages/overview/overview'), 'OverviewPage'),
});
const live = createRoute({
  getParentRoute: () => shell,
  path: '/live',
  validateSearch: (raw: Raw) => texts(raw, 'source', 'user', 'event', 'topic', 'state', 'id'),
  component: lazyRouteComponent(() => import('../pages/events/live'), 'LivePage'),
});
const events = createRoute({
  getParentRoute: () => shell,
  path: '/events',
  validateSearch: (raw: Raw) => ({ ...span(raw), ...texts(raw, 'source', 'user', 'event', 'topic', 'text', 'id') }),
  component: lazyRouteComponent(() => import('../pages/events/events'), 'EventsPage'),
});
const search = createRoute({
  getParentRoute: () => shell,
  path: '/search',
  validateSearch: (raw: Raw) => texts(raw, 'q'),
  component: lazyRouteComponent(() => import('../pages/search/search'), 'SearchPage'),
});
const request = createRoute({
  getParentRoute: () => shell,
  path: '/requests/$id',
  validateSearch: (raw: Raw) => texts(raw, 'window'),
  component: lazyRouteComponent(() => import('../pages/requests/request'), 'RequestPage'),
});
const refused = createRoute({
  getParentRoute: () => shell,
  path: '/refused',
  validateSearch: (raw: Raw) => ({ ...span(raw), ...texts(raw, 'source', 'reason', 'id') }),
  component: lazyRouteComponent(() => import('../pages/requests/refused'), 'RefusedPage'),
});
const tryIt = createRoute({
  getParentRoute: () => shell,
  path: '/try',
  validateSearch: (raw: Raw) => texts(raw, 'route', 'refused'),
  component: lazyRouteComponent(() => import('../pages/requests/try'), 'TryPage'),
});
const sources = createRoute({
  getParentRoute: () => shell,
  path: '/sources',
  validateSearch: (raw: Raw) => texts(raw, 'new'),
  component: lazyRouteComponent(() => import('../pages/sources/sources'), 'SourcesPage'),
});
const source = createRoute({
  getParentRoute: () => shell,
  path: '/sources/$id',
  validateSearch: (raw: Raw) => ({ ...span(raw), ...texts(raw, 'tab', 'snippet') }),
  component: lazyRouteComponent(() => import('../pages/sources/source'), 'SourcePage'),
});
const pipeline = createRoute({
  getParentRoute: () => shell,
  path: '/pipeline',
  component: lazyRouteComponent(() => import('../pages/pipeline/pipeline'), 'PipelinePage'),
});
const ledger = createRoute({
  getParentRoute: () => shell,
  path: '/pipeline/ledger',
  validateSearch: (raw: Raw) => texts(raw, 'topic', 'from', 'to'),
  component: lazyRouteComponent(() => import('../pages/pipeline/ledger'), 'LedgerPage'),
});
const letters = createRoute({
  getParentRoute: () => shell,
  path: '/dead-letters',
  validateSearch: (raw: Raw) => texts(raw, 'topic', 'reason'),
  component: lazyRouteComponent(() => import('../pages/dead-letters/letters'), 'LettersPage'),
});
const letter = createRoute({
  getParentRoute: () => shell,
  path: '/dead-letters/$id',
  component: lazyRouteComponent(() => import('../pages/dead-letters/letter'), 'LetterPage'),
});
const privacy = createRoute({
  getParentRoute: () => shell,
  path: '/privacy',
  component: lazyRouteComponent(() => import('../pages/privacy/privacy'), 'PrivacyPage'),
});
const settings = createRoute({
  getParentRoute: () => shell,
  path: '/settings',
  validateSearch: (raw: Raw) => {
    const { from, to, ...rest } = texts(raw, 'tab', 'actor', 'operation', 'object', 'kind', 'from', 'to');
    return { ...rest, ...(isTime(from) && { from }), ...(isTime(to) && { to }) };
  },
  component: lazyRouteComponent(() => import('../pages/settings/settings'), 'SettingsPage'),
});

export const router = createRouter({
  routeTree: root.addChildren([
    login,
    shell.addChildren([
      overview,
      live,
      events,
      search,
      request,
      refused,
      tryIt,
      sources,
      source,
      pipeline,
      ledger,
      letters,
      letter,
      privacy,
      settings,
    ]),
  ]),
  defaultPreload: 'intent',
  defaultErrorComponent: Failed,
  scrollRestoration: false,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}

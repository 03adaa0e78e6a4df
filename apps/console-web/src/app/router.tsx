import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
  retainSearchParams,
} from '@tanstack/react-router';
import { isRange, type SpanSearch } from '../data/range';
import { Failed, Missing } from './failed';
import { Root } from './root';
import { Shell } from './shell';

type Raw = Record<string, unknown>;
const maxPage = 20_000;

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

/** Number of a page of a list; the first has none. */
const page = ({ page: number }: Raw): { page?: number } =>
  typeof number === 'number' && Number.isInteger(number) && number > 1 && number <= maxPage ? { page: number } : {};

const isVersion = (value: unknown): value is number => Number.isInteger(value) && Number(value) >= 1;
/** The version of a plan that is shown, and the one that it is compared with. */
const versions = ({ plan, with: comparedVersion }: Raw): { plan?: number; with?: number } => ({
  ...(isVersion(plan) && { plan }),
  ...(isVersion(comparedVersion) && { with: comparedVersion }),
});

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
  validateSearch: (raw: Raw) => ({
    ...span(raw),
    ...texts(raw, 'source', 'reason', 'text', 'before', 'id'),
    ...page(raw),
  }),
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
  validateSearch: (raw: Raw) => ({ ...texts(raw, 'new', 'text', 'status', 'order'), ...page(raw) }),
  component: lazyRouteComponent(() => import('../pages/sources/sources'), 'SourcesPage'),
});
const source = createRoute({
  getParentRoute: () => shell,
  path: '/sources/$id',
  validateSearch: (raw: Raw) => ({
    ...span(raw),
    ...texts(raw, 'tab', 'snippet', 'origin', 'text'),
    ...versions(raw),
    ...page(raw),
  }),
  component: lazyRouteComponent(() => import('../pages/sources/source'), 'SourcePage'),
});
const pipeline = createRoute({
  getParentRoute: () => shell,
  path: '/pipeline',
  component: lazyRouteComponent(() => import('../pages/pipeline/pipeline'), 'PipelinePage'),
});
const runbooks = createRoute({
  getParentRoute: () => shell,
  path: '/runbooks',
  component: lazyRouteComponent(() => import('../pages/runbooks/runbook'), 'RunbooksPage'),
});
const runbook = createRoute({
  getParentRoute: () => shell,
  path: '/runbooks/$id',
  component: lazyRouteComponent(() => import('../pages/runbooks/runbook'), 'RunbookPage'),
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
  validateSearch: (raw: Raw) => ({ ...span(raw), ...texts(raw, 'topic', 'reason', 'source', 'after', 'older') }),
  component: lazyRouteComponent(() => import('../pages/dead-letters/letters'), 'LettersPage'),
});
const letter = createRoute({
  getParentRoute: () => shell,
  path: '/dead-letters/$id',
  component: lazyRouteComponent(() => import('../pages/dead-letters/letter'), 'LetterPage'),
});
const changes = createRoute({
  getParentRoute: () => shell,
  path: '/changes',
  component: lazyRouteComponent(() => import('../pages/watch/watch'), 'WatchPage'),
});
const change = createRoute({
  getParentRoute: () => shell,
  path: '/changes/$id',
  component: lazyRouteComponent(() => import('../pages/watch/change'), 'ChangePage'),
});
/** The address of an earlier version, which saved views and tickets may hold. */
const watch = createRoute({
  getParentRoute: () => shell,
  path: '/watch/$',
  beforeLoad: ({ params: { _splat: id = '' } }) => {
    if (id === '') redirect({ to: '/changes', throw: true });
    else redirect({ to: '/changes/$id', params: { id }, throw: true });
  },
});
const catalog = createRoute({
  getParentRoute: () => shell,
  path: '/catalog',
  validateSearch: (raw: Raw) => texts(raw, 'catalog', 'source', 'variant', 'product', 'seller', 'category'),
  component: lazyRouteComponent(() => import('../pages/catalog/catalog'), 'CatalogPage'),
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
    const audit = texts(raw, 'tab', 'actor', 'operation', 'object', 'kind', 'from', 'to');
    const { from, to, ...rest } = audit;
    const users = { ...texts(raw, 'text', 'role', 'status'), ...page(raw) };
    return { ...rest, ...users, ...(isTime(from) && { from }), ...(isTime(to) && { to }) };
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
      runbooks,
      runbook,
      changes,
      change,
      watch,
      catalog,
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

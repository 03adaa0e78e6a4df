import { downIn } from '@sluice/console-api';
import { type LinkProps, useRouterState } from '@tanstack/react-router';
import { useServers } from '../data/now';
import { Icon, type IconName } from '../ui/icon';
import { PlaceLink } from './place-link';

interface Place {
  to: NonNullable<LinkProps['to']>;
  label: string;
  icon: IconName;
}

const groups: readonly { title: string; places: readonly Place[] }[] = [
  {
    title: 'Data',
    places: [
      { to: '/', label: 'Overview', icon: 'overview' },
      { to: '/events', label: 'Events', icon: 'live' },
      { to: '/changes', label: 'Changes', icon: 'changes' },
      { to: '/catalog', label: 'Catalog', icon: 'catalog' },
      { to: '/refused', label: 'Refused', icon: 'refused' },
      { to: '/try', label: 'Try it', icon: 'try' },
      { to: '/sources', label: 'Sources', icon: 'sources' },
    ],
  },
  {
    title: 'System',
    places: [
      { to: '/pipeline', label: 'Pipeline', icon: 'pipeline' },
      { to: '/pipeline/ledger', label: 'Ledger', icon: 'ledger' },
      { to: '/dead-letters', label: 'Dead letters', icon: 'letters' },
      { to: '/privacy', label: 'Privacy', icon: 'shield' },
      { to: '/settings', label: 'Settings', icon: 'settings' },
    ],
  },
];

const exact = new Set<string>(['/', '/pipeline']);

/** Links to all pages. A mark next to one says that something is wrong there. */
export function Navigation() {
  const { servers } = useServers();
  const isUnreachable = servers !== undefined && downIn(servers) !== 'none';
  const here = useRouterState({ select: ({ location }) => location.pathname });
  const isHere = (to: string): boolean =>
    here === to || (to === '/events' && here === '/live') || (!exact.has(to) && here.startsWith(`${to}/`));
  return (
    <nav aria-label="Pages">
      <PlaceLink to="/" className="nav-brand">
        <img src="/icon.svg" alt="" />
        Sluice
      </PlaceLink>
      {groups.map(({ title, places }) => (
        <div key={title} className="nav-group">
          <h2>{title}</h2>
          <ul>
            {places.map(({ to, label, icon }) => (
              <li key={label}>
                <PlaceLink to={to} isHere={isHere(to)}>
                  <Icon name={icon} />
                  <span>{label}</span>
                  {isUnreachable && to === '/pipeline' && (
                    <span className="nav-dot nav-dot-unreachable" role="img" aria-label="a server is not responding" />
                  )}
                </PlaceLink>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </nav>
  );
}

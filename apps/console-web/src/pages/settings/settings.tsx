import { getRouteApi, Link } from '@tanstack/react-router';
import { useMay, useSession, useUser } from '../../data/session';
import { useRead } from '../../data/use-api';
import { Card, Page } from '../../ui/card';
import { Loaded } from '../../ui/loaded';
import { Account } from './account';
import { AuditCard } from './audit';
import { MaskForm } from './masks';
import { Users } from './users';
import '../../ui/tabs.css';

const route = getRouteApi('/shell/settings');

const tabs = [
  ['account', 'Account'],
  ['users', 'Users'],
  ['masks', 'Masks'],
  ['audit', 'Audit'],
] as const;

/** Account, users, masks and the audit log. */
export function SettingsPage() {
  const { tab = 'account' } = route.useSearch();
  const isAdmin = useMay('admin');
  const user = useUser();
  const session = useSession();
  const masks = useRead('GET /api/masks', {}, { enabled: tab === 'masks' });
  return (
    <Page title="Settings" question="Access and audit">
      <nav className="tabs" aria-label="Parts of the settings">
        {tabs.map(([key, label]) => (
          <Link
            key={key}
            from="/settings"
            to="."
            search={(now) => ({ ...(now.tz && { tz: now.tz }), tab: key })}
            aria-current={tab === key ? 'page' : undefined}
          >
            {label}
          </Link>
        ))}
      </nav>
      {tab === 'account' && user && <Account user={user} version={session.data?.version ?? ''} />}
      {tab === 'users' && <Users />}
      {tab === 'masks' && (
        <Card
          title="Masks"
          note="People without the right to payloads see a type, a length and a tag in place of these values"
        >
          <Loaded of={masks}>{(data) => <MaskForm masks={data} mayEdit={isAdmin} />}</Loaded>
        </Card>
      )}
      {tab === 'audit' && <AuditCard />}
    </Page>
  );
}

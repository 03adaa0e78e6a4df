import { type SignedInUser } from '@sluice/console-api';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { useAction } from '../data/use-api';
import { Button, IconButton } from '../ui/button';
import { Icon } from '../ui/icon';
import { Menu } from '../ui/menu';
import { Sent } from '../ui/sent';
import { useToast } from '../ui/toast';
import '../ui/field.css';
import { SavedViews } from './saved-views';
import { applyTheme, type Theme } from './theme';
import { findSearchPlace } from './search-place';

export const AppBar = ({ user, onMenu }: { user: SignedInUser | null; onMenu: () => void }) => (
  <header className="bar">
    <IconButton icon="menu" label="Pages" className="bar-menu" onClick={onMenu} />
    <SearchBox />
    <SavedViews user={user} />
    <ZoneSwitch />
    <ThemeMenu />
    <UserMenu user={user} />
  </header>
);

/** Goes to what an id belongs to; any other text is searched for. */
function SearchBox() {
  const [text, setText] = useState('');
  const navigate = useNavigate();
  return (
    <form
      className="bar-search"
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        const place = findSearchPlace(text.trim());
        if (!place) return;
        setText('');
        void navigate(place);
      }}
    >
      <Icon name="search" />
      <input
        id="search"
        className="input"
        aria-label="Search: request, source, user, event or dead letter"
        placeholder="Search requests, sources, users, events"
        autoComplete="off"
        spellCheck={false}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <kbd aria-hidden="true">/</kbd>
    </form>
  );
}

function ZoneSwitch() {
  const { tz } = useSearch({ from: '__root__' });
  const navigate = useNavigate();
  const isLocal = tz === 'local';
  return (
    <Button
      look="quiet"
      className="bar-zone"
      aria-pressed={isLocal}
      title="Time zone of this page"
      onClick={() => {
        // `undefined` removes the zone from the address; without the member, it would be retained.
        void navigate({ to: '.', search: (now) => ({ ...now, tz: isLocal ? undefined : 'local' }), replace: true });
      }}
    >
      {isLocal ? 'Local' : 'UTC'}
    </Button>
  );
}

function ThemeMenu() {
  const choose = (theme: Theme) => () => applyTheme(theme);
  return (
    <Menu
      label="Theme"
      icon="sun"
      items={[
        { label: 'Light', icon: 'sun', onSelect: choose('light') },
        { label: 'Dark', icon: 'moon', onSelect: choose('dark') },
        { label: 'System', icon: 'screen', onSelect: choose('system') },
      ]}
    />
  );
}

function UserMenu({ user }: { user: SignedInUser | null }) {
  const toast = useToast();
  const navigate = useNavigate();
  const signOut = useAction('DELETE /api/session', () => location.assign('/login'));
  return (
    <Menu
      label={user ? `Account of ${user.name}` : 'Account'}
      icon="user"
      head={
        user && (
          <>
            <strong>
              <Sent text={user.name} />
            </strong>
            <p className="small soft">
              {user.role}
              {user.payloads && ', sees unmasked payloads'}
              {user.privacy && ', answers people'}
            </p>
          </>
        )
      }
      items={[
        {
          label: 'Settings',
          icon: 'settings',
          onSelect: () => void navigate({ to: '/settings' }),
        },
        {
          label: 'Sign out',
          icon: 'out',
          onSelect: () => {
            signOut.mutate(
              {},
              {
                onError: (error) => toast('bad', error.message),
              },
            );
          },
        },
      ]}
    />
  );
}

import { type SignedInUser } from '@sluice/console-api';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { useDeed } from '../data/use-api';
import { Button, IconButton } from '../ui/button';
import { Icon } from '../ui/icon';
import { Menu } from '../ui/menu';
import { Sent } from '../ui/sent';
import { useToast } from '../ui/toast';
import '../ui/field.css';
import { SavedViews } from './saved-views';
import { applyTheme, type Theme } from './theme';
import { type Place, placeOf } from './search-place';

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

/** Goes to what an id belongs to: a request, a source, a dead letter; any other text is a user. */
function SearchBox() {
  const [text, setText] = useState('');
  const navigate = useNavigate();
  const go = (place: Place): void => {
    setText('');
    void navigate(place);
  };
  return (
    <form
      className="bar-search"
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        const place = placeOf(text.trim());
        if (place) go(place);
      }}
    >
      <Icon name="search" />
      <input
        id="search"
        className="input"
        aria-label="Search: request, source, dead letter or user id"
        placeholder="Request, source or user id"
        autoComplete="off"
        spellCheck={false}
        value={text}
        onChange={(event) => {
          setText(event.target.value);
        }}
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
      title="Zone of all times on this page"
      onClick={() => {
        // `undefined` takes the zone out of the address; retained it would be only if it were left out here.
        void navigate({ to: '.', search: (now) => ({ ...now, tz: isLocal ? undefined : 'local' }), replace: true });
      }}
    >
      {isLocal ? 'Local' : 'UTC'}
    </Button>
  );
}

function ThemeMenu() {
  const choose = (theme: Theme) => () => {
    applyTheme(theme);
  };
  return (
    <Menu
      label="Colours"
      icon="sun"
      items={[
        { label: 'Light', icon: 'sun', onSelect: choose('light') },
        { label: 'Dark', icon: 'moon', onSelect: choose('dark') },
        { label: 'As the system', icon: 'screen', onSelect: choose('system') },
      ]}
    />
  );
}

function UserMenu({ user }: { user: SignedInUser | null }) {
  const toast = useToast();
  const navigate = useNavigate();
  const signOut = useDeed('DELETE /api/session', () => {
    location.assign('/login');
  });
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
              {user.payloads && ', sees payloads'}
            </p>
          </>
        )
      }
      items={[
        {
          label: 'Settings',
          icon: 'settings',
          onSelect: () => {
            void navigate({ to: '/settings' });
          },
        },
        {
          label: 'Sign out',
          icon: 'out',
          onSelect: () => {
            signOut.mutate(
              {},
              {
                onError: (error) => {
                  toast('bad', error.message);
                },
              },
            );
          },
        },
      ]}
    />
  );
}

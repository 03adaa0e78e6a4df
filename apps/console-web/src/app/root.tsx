import { Outlet, useSearch } from '@tanstack/react-router';
import { ZoneProvider } from '../ui/zone';

/** What all pages have: the zone of their times. */
export function Root() {
  const { tz } = useSearch({ from: '__root__' });
  return (
    <ZoneProvider zone={tz === 'local' ? 'local' : 'utc'}>
      <Outlet />
    </ZoneProvider>
  );
}

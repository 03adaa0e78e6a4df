import { Outlet, useSearch } from '@tanstack/react-router';
import { ZoneProvider } from '../ui/zone';

/** Gives all pages the zone of their times. */
export function Root() {
  const { tz } = useSearch({ from: '__root__' });
  return (
    <ZoneProvider zone={tz === 'local' ? 'local' : 'utc'}>
      <Outlet />
    </ZoneProvider>
  );
}

import { type Role, type User } from '@sluice/console-api';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { Select } from '../../ui/field';
import { SearchField } from '../../ui/search-field';

const route = getRouteApi('/shell/settings');

const roles: readonly { value: Role | ''; label: string }[] = [
  { value: '', label: 'Any role' },
  { value: 'viewer', label: 'Viewer' },
  { value: 'editor', label: 'Editor' },
  { value: 'admin', label: 'Admin' },
];
const statuses: readonly { value: User['status'] | ''; label: string }[] = [
  { value: '', label: 'Any status' },
  { value: 'active', label: 'Active' },
  { value: 'invited', label: 'Invited' },
  { value: 'disabled', label: 'Disabled' },
];
export const isRole = (text: string | undefined): text is Role =>
  roles.some(({ value }) => value !== '' && value === text);
export const isUserStatus = (text: string | undefined): text is User['status'] =>
  statuses.some(({ value }) => value !== '' && value === text);

/** Filters of all users; the address holds them. */
export function UserFilters() {
  const { text = '', role, status } = route.useSearch();
  const navigate = useNavigate({ from: '/settings' });
  const set = (name: 'text' | 'role' | 'status', value: string): void => {
    void navigate({ search: (now) => ({ ...now, [name]: value || undefined, page: undefined }), replace: true });
  };
  return (
    <form className="filters" aria-label="Filters" onSubmit={(event) => event.preventDefault()}>
      <SearchField label="Name or id" value={text} onSearch={(typed) => set('text', typed)} />
      <Select
        label="Role"
        options={roles}
        value={isRole(role) ? role : ''}
        onChange={({ target }) => set('role', target.value)}
      />
      <Select
        label="Status"
        options={statuses}
        value={isUserStatus(status) ? status : ''}
        onChange={({ target }) => set('status', target.value)}
      />
    </form>
  );
}

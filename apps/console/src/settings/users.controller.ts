import { Body, Controller, Param, Query } from '@nestjs/common';
import {
  type InvitedUser,
  type NewUser,
  type User as UserView,
  type UserChanges,
  type UserList,
  type UserListQuery,
} from '@sluice/console-api';
import {
  ConsoleReader,
  ConsoleWriter,
  createLink,
  createUser,
  runExclusively,
  type UserRecord,
} from '@sluice/operations';
import { conflict, notFound } from '../http/console-error.js';
import { Serves, ActingUser } from '../http/operation.js';
import { type CurrentUser } from '../session/current-user.js';
import { Actions } from './actions.js';

/** Manages who may sign in, and what they may do. */
@Controller()
export class UsersController {
  constructor(
    private readonly reader: ConsoleReader,
    private readonly writer: ConsoleWriter,
    private readonly actions: Actions,
  ) {}

  @Serves('GET /api/users')
  list(@Query() { text = '', role, status, skip = 0, limit = 50 }: UserListQuery): UserList {
    const searchText = text.trim().toLowerCase();
    const all = this.reader.state.list('user').map((user) => this.view(user));
    const matchingUsers = all.filter(
      (user) =>
        (user.name.toLowerCase().includes(searchText) || user.id.toLowerCase().includes(searchText)) &&
        (role ?? user.role) === user.role &&
        (status ?? user.status) === user.status,
    );
    const users = matchingUsers.sort((a, b) => a.id.localeCompare(b.id)).slice(skip, skip + limit);
    return { users, found: matchingUsers.length, all: all.length };
  }

  @Serves('POST /api/users')
  async create(@Body() body: NewUser, @ActingUser() admin: CurrentUser): Promise<InvitedUser> {
    const { id, role, name = '', payloads = false, privacy = false } = body;
    const newUser = { id, role, name: name.trim() || id, payloads, privacy };
    const details = { role, payloads, privacy };
    return this.actions.record(admin, { operation: 'users.create', object: id, details }, async () => {
      const user = await this.alone(() => createUser(this.reader.state, this.writer, newUser));
      return this.invited(user);
    });
  }

  @Serves('PATCH /api/users/:id')
  change(@Param('id') id: string, @Body() body: UserChanges, @ActingUser() admin: CurrentUser): Promise<UserView> {
    return this.alone(() => this.changeNow(id, body, admin));
  }

  /** One change at a time over all instances: two admins cannot demote each other at once. */
  private alone<T>(work: () => Promise<T>): Promise<T> {
    return runExclusively(this.reader.state, this.writer, 'users', work);
  }

  private async changeNow(id: string, changes: UserChanges, admin: CurrentUser): Promise<UserView> {
    const before = this.find(id);
    const { role = before.role, payloads = before.payloads, disabled: isDisabled = before.isDisabled } = changes;
    const { privacy = before.privacy ?? false, name = '' } = changes;
    const changed: UserRecord = {
      ...before,
      // A blank name changes nothing.
      name: name.trim() || before.name,
      isDisabled,
      role,
      payloads,
      privacy,
      // A disabled user who is enabled later must sign in again.
      notBefore: isDisabled && !before.isDisabled ? Date.now() : before.notBefore,
    };
    if (before.role === 'admin' && (changed.role !== 'admin' || isDisabled)) this.assertOtherAdmin(id);
    const details = { before: this.view(before), after: this.view(changed) };
    await this.actions.record(admin, { operation: 'users.change', object: id, details }, () =>
      this.writer.put('user', id, changed),
    );
    return this.view(changed);
  }

  @Serves('POST /api/users/:id/link')
  async link(@Param('id') id: string, @ActingUser() admin: CurrentUser): Promise<InvitedUser> {
    const user = this.find(id);
    if (user.origin !== 'local' || user.isDisabled) throw conflict('Only an enabled local user can get a link.');
    return this.actions.record(admin, { operation: 'users.link', object: id }, () => this.invited(user));
  }

  @Serves('POST /api/users/:id/sign-out')
  async signOut(@Param('id') id: string, @ActingUser() admin: CurrentUser): Promise<UserView> {
    const user = { ...this.find(id), notBefore: Date.now() };
    await this.actions.record(admin, { operation: 'users.sign-out', object: id }, () =>
      this.writer.put('user', id, user),
    );
    return this.view(user);
  }

  private async invited(user: UserRecord): Promise<InvitedUser> {
    return { user: this.view(user), link: await createLink(this.writer, user.id, this.actions.site.origin) };
  }

  private find(id: string): UserRecord {
    const user = this.reader.state.get('user', id);
    if (!user) throw notFound(`There is no user ${id}.`);
    return user;
  }

  private assertOtherAdmin(id: string): void {
    const otherUsers = this.reader.state.list('user').filter((user) => user.id !== id && !user.isDisabled);
    if (!otherUsers.some(({ role }) => role === 'admin')) throw conflict('At least one admin must remain.');
  }

  /** Copied field by field: hashes of passwords are not shown. */
  private view({
    id,
    name,
    role,
    payloads,
    privacy = false,
    origin,
    createdAt,
    isDisabled,
    password,
  }: UserRecord): UserView {
    const isActive = origin === 'oidc' || password !== undefined || this.reader.state.get('entered', id) !== undefined;
    return {
      id,
      name,
      role,
      payloads,
      privacy,
      origin,
      createdAt,
      status: isDisabled ? 'disabled' : isActive ? 'active' : 'invited',
    };
  }
}

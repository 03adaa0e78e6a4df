import { Body, Controller, Param } from '@nestjs/common';
import { type InvitedUser, type Role, type User as UserView } from '@sluice/console-api';
import { ConsoleReader, ConsoleWriter, createLink, createUser, type UserRecord } from '@sluice/operations';
import { conflict, notFound } from '../http/console-error.js';
import { Serves, User } from '../http/operation.js';
import { fieldsOf, oneOf, optionalFlag, optionalText, textOf } from '../http/read.js';
import { type CurrentUser } from '../session/current-user.js';
import { Actions } from './actions.js';

const roles: readonly Role[] = ['viewer', 'editor', 'admin'];

/** Says who may sign in, and what they may do. */
@Controller()
export class UsersController {
  /** The change before: one at a time, so that two admins cannot demote each other at once. */
  private last: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly reader: ConsoleReader,
    private readonly writer: ConsoleWriter,
    private readonly actions: Actions,
  ) {}

  @Serves('GET /api/users')
  list(): UserView[] {
    return this.reader.state
      .list('user')
      .map((user) => this.view(user))
      .sort((a, b) => a.id.localeCompare(b.id));
  }

  @Serves('POST /api/users')
  async create(@Body() body: unknown, @User() admin: CurrentUser): Promise<InvitedUser> {
    const fields = fieldsOf(body);
    const [id, role] = [textOf(fields, 'id', 64), oneOf(fields, 'role', roles)];
    const asked = {
      id,
      role,
      name: optionalText(fields, 'name', 100) ?? id,
      payloads: optionalFlag(fields, 'payloads') ?? false,
    };
    const details = { role, payloads: asked.payloads };
    return this.actions.record(admin, { operation: 'users.create', object: id, details }, async () => {
      const user = await createUser(this.reader.state, this.writer, asked);
      return this.invited(user);
    });
  }

  @Serves('PATCH /api/users/:id')
  change(@Param('id') id: string, @Body() body: unknown, @User() admin: CurrentUser): Promise<UserView> {
    const changed = this.last.then(() => this.changeNow(id, body, admin));
    this.last = changed.catch(() => undefined);
    return changed;
  }

  private async changeNow(id: string, body: unknown, admin: CurrentUser): Promise<UserView> {
    const fields = fieldsOf(body);
    const before = this.find(id);
    const isDisabled = optionalFlag(fields, 'disabled') ?? before.isDisabled;
    const changed: UserRecord = {
      ...before,
      name: optionalText(fields, 'name', 100) ?? before.name,
      isDisabled,
      role: fields['role'] === undefined ? before.role : oneOf(fields, 'role', roles),
      payloads: optionalFlag(fields, 'payloads') ?? before.payloads,
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
  async link(@Param('id') id: string, @User() admin: CurrentUser): Promise<InvitedUser> {
    const user = this.find(id);
    if (user.origin !== 'local' || user.isDisabled) throw conflict('Only an enabled local user can get a link.');
    return this.actions.record(admin, { operation: 'users.link', object: id }, () => this.invited(user));
  }

  @Serves('POST /api/users/:id/sign-out')
  async signOut(@Param('id') id: string, @User() admin: CurrentUser): Promise<UserView> {
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
    const others = this.reader.state.list('user').filter((one) => one.id !== id && !one.isDisabled);
    if (!others.some(({ role }) => role === 'admin')) throw conflict('At least one admin must remain.');
  }

  /** Copied field by field: hashes of passwords are not shown. */
  private view({ id, name, role, payloads, origin, createdAt, isDisabled, password }: UserRecord): UserView {
    const isActive = origin === 'oidc' || password !== undefined || this.reader.state.get('entered', id) !== undefined;
    return {
      id,
      name,
      role,
      payloads,
      origin,
      createdAt,
      status: isDisabled ? 'disabled' : isActive ? 'active' : 'invited',
    };
  }
}

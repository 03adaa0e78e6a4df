import { randomUUID } from 'node:crypto';
import { Body, Controller, Param, Query, Res } from '@nestjs/common';
import {
  type AuditEntry,
  type AuditQuery,
  type Masks,
  type NewMasks,
  type NewView,
  type SavedView,
} from '@sluice/console-api';
import { ConsoleReader, ConsoleWriter } from '@sluice/operations';
import { invalid, notAllowed, notFound } from '../http/console-error.js';
import { Serves, ActingUser } from '../http/operation.js';
import { type PayloadView } from '../payload/masks.js';
import { Payloads } from '../payload/payloads.js';
import { Tables } from '../servers/tables.js';
import { type CurrentUser } from '../session/current-user.js';
import { isOwnPath } from '../http/own-path.js';
import { mayDo } from '../session/current-user.js';
import { type FastifyReply } from 'fastify';
import { type AuditLimits, formatCsv, readAudit, shownEntry } from './audit-entries.js';
import { Actions } from './actions.js';

const viewIdPattern = /^[A-Za-z0-9-]{1,40}$/;
const maskPattern = /^[A-Za-z0-9_.*~$-]{1,128}$/;
const maxOwnViews = 50;
const maxViews = 5_000;

/** Masks, saved views, and who did what. */
@Controller()
export class SettingsController {
  /** Number of views of each user that are being written. */
  private readonly savingViews = new Map<string, number>();

  constructor(
    private readonly reader: ConsoleReader,
    private readonly writer: ConsoleWriter,
    private readonly actions: Actions,
    private readonly payloads: Payloads,
    private readonly tables: Tables,
  ) {}

  @Serves('GET /api/masks')
  masks(): Masks {
    return { paths: [...this.payloads.paths], values: [...this.payloads.values] };
  }

  @Serves('PUT /api/masks')
  async setMasks(@Body() body: NewMasks, @ActingUser() admin: CurrentUser): Promise<Masks> {
    const { paths, values = [...this.payloads.values] } = body;
    const wrong = paths.find((path) => !maskPattern.test(path));
    if (wrong !== undefined) throw invalid(`'${wrong}' is not a path like traits.email, *phone* or ~ip.`);
    const details = { before: this.masks(), after: { paths, values } };
    await this.actions.record(admin, { operation: 'masks.change', object: 'masks', details }, () =>
      this.writer.put('masks', 'all', { paths, values }),
    );
    return this.masks();
  }

  @Serves('GET /api/views')
  views(@ActingUser() user: CurrentUser): SavedView[] {
    const view = this.payloads.chooseView(user);
    const visibleViews = this.reader.state
      .list('view')
      .filter(({ owner, isShared, url }) => owner === user.id || (isShared && !hidesFilter(view, url)));
    return visibleViews.sort((a, b) => a.name.localeCompare(b.name));
  }

  @Serves('PUT /api/views/:id')
  async saveView(
    @Param('id') requestedId: string,
    @Body() body: NewView,
    @ActingUser() user: CurrentUser,
  ): Promise<SavedView> {
    const id = requestedId === 'new' ? randomUUID() : requestedId;
    const storedView = this.reader.state.get('view', id);
    if (!viewIdPattern.test(id)) throw invalid('This is not the id of a view.');
    if (storedView && storedView.owner !== user.id) throw notAllowed('This view belongs to someone else.');
    const { name, url, isShared = false } = body;
    if (!isOwnPath(this.actions.site.origin, url)) throw invalid('url must be a path of the console.');
    if (isShared && storedView?.isShared !== true && !mayDo(user, 'editor'))
      throw notAllowed('To share a view you need the role editor.');
    const view = { id, url, name, owner: user.id, isShared };
    const release = storedView ? undefined : this.reserveView(user.id);
    try {
      await this.actions.record(user, { operation: 'views.save', object: id }, () => this.writer.put('view', id, view));
    } finally {
      release?.();
    }
    return view;
  }

  /** Counts a view before it is written: requests at the same time see each other. */
  private reserveView(user: string): () => void {
    const views = this.reader.state.list('view');
    const ownCount = views.filter(({ owner }) => owner === user).length + (this.savingViews.get(user) ?? 0);
    if (ownCount >= maxOwnViews) throw invalid(`You have ${maxOwnViews} views; remove one first.`);
    if (views.length >= maxViews) throw invalid('There are too many views.');
    this.savingViews.set(user, (this.savingViews.get(user) ?? 0) + 1);
    return () => this.savingViews.set(user, (this.savingViews.get(user) ?? 1) - 1);
  }

  @Serves('DELETE /api/views/:id')
  async removeView(@Param('id') id: string, @ActingUser() user: CurrentUser): Promise<SavedView[]> {
    const storedView = this.reader.state.get('view', id);
    if (!storedView) throw notFound('View not found.');
    if (storedView.owner !== user.id && user.role !== 'admin') throw notAllowed('This view belongs to someone else.');
    await this.actions.record(user, { operation: 'views.remove', object: id }, () => this.writer.put('view', id, null));
    return this.views(user);
  }

  @Serves('GET /api/audit')
  audit(@Query() query: AuditQuery, @ActingUser() user: CurrentUser): Promise<AuditEntry[]> {
    return this.entries(query, user, { fallback: 200, max: 500 });
  }

  /** All entries of a range as a file, at most 10,000. */
  @Serves('GET /api/audit/export')
  async exportAudit(
    @Query() query: AuditQuery,
    @ActingUser() user: CurrentUser,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string> {
    const entries = await this.entries(query, user, { fallback: 10_000, max: 10_000 });
    void reply.header('content-type', 'text/csv; charset=utf-8');
    void reply.header('content-disposition', 'attachment; filename="sluice-audit.csv"');
    return formatCsv(entries);
  }

  private async entries(query: AuditQuery, user: CurrentUser, limits: AuditLimits): Promise<AuditEntry[]> {
    const entries = await readAudit(this.tables, user, query, limits);
    const view = this.payloads.chooseView(user);
    return entries.map((entry) => shownEntry(entry, view));
  }
}

/** Parts of an address that are values of payloads, by the column that masks them. */
const filters = [
  ['user', 'user_id'],
  ['user', 'anonymous_id'],
  ['event', 'event'],
  ['text', 'text'],
  ['q', 'user_id'],
  ['reason', 'reason'],
] as const;

/** Whether the address of a saved view shows a value that the reader may not see. */
function hidesFilter(view: PayloadView, url: string): boolean {
  const { searchParams } = new URL(url, 'http://console');
  return filters.some(([name, column]) => searchParams.getAll(name).some((value) => view.hides(column, value)));
}

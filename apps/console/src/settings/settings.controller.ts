import { randomUUID } from 'node:crypto';
import { Body, Controller, Param, Query } from '@nestjs/common';
import { type AuditEntry, type Masks, type SavedView } from '@sluice/console-api';
import { ConsoleReader, ConsoleWriter } from '@sluice/operations';
import { invalid, notAllowed, notFound } from '../http/console-error.js';
import { Serves, User } from '../http/operation.js';
import { fieldsOf, optionalFlag, optionalText, textOf, textsOf, timeOf } from '../http/read.js';
import { Payloads } from '../payload/payloads.js';
import { isoOf, Tables, timeParameter } from '../servers/tables.js';
import { type CurrentUser } from '../session/current-user.js';
import { Deeds } from './deeds.js';

const viewIdPattern = /^[A-Za-z0-9-]{1,40}$/;
const maskPattern = /^[A-Za-z0-9_.*$-]{1,128}$/;
const mostViews = 500;

/** Masks, saved views, and who did what. */
@Controller()
export class SettingsController {
  constructor(
    private readonly reader: ConsoleReader,
    private readonly writer: ConsoleWriter,
    private readonly deeds: Deeds,
    private readonly payloads: Payloads,
    private readonly tables: Tables,
  ) {}

  @Serves('GET /api/masks')
  masks(): Masks {
    return { paths: [...this.payloads.paths] };
  }

  @Serves('PUT /api/masks')
  async setMasks(@Body() body: unknown, @User() admin: CurrentUser): Promise<Masks> {
    const paths = textsOf(fieldsOf(body), 'paths', { most: 200, longest: 128 });
    const wrong = paths.find((path) => !maskPattern.test(path));
    if (wrong !== undefined) throw invalid(`'${wrong}' is no path like traits.email or *phone*.`);
    const details = { before: [...this.payloads.paths], after: paths };
    await this.deeds.record(admin, { operation: 'masks.change', object: 'masks', details }, () =>
      this.writer.put('masks', 'all', { paths }),
    );
    return this.masks();
  }

  @Serves('GET /api/views')
  views(@User() { id }: CurrentUser): SavedView[] {
    const seen = this.reader.state.list('view').filter(({ owner, isShared }) => isShared || owner === id);
    return seen.sort((a, b) => a.name.localeCompare(b.name));
  }

  @Serves('PUT /api/views/:id')
  async saveView(@Param('id') asked: string, @Body() body: unknown, @User() user: CurrentUser): Promise<SavedView> {
    const id = asked === 'new' ? randomUUID() : asked;
    const known = this.reader.state.get('view', id);
    if (!viewIdPattern.test(id)) throw invalid('This is no id of a view.');
    if (known && known.owner !== user.id) throw notAllowed('This view belongs to somebody else.');
    if (!known && this.reader.state.list('view').length >= mostViews) throw invalid('There are too many views.');
    const fields = fieldsOf(body);
    const url = textOf(fields, 'url', 4_000);
    if (!/^\/(?!\/)/.test(url)) throw invalid('url must be a path of the console.');
    const view = {
      id,
      url,
      name: textOf(fields, 'name', 100),
      owner: user.id,
      isShared: optionalFlag(fields, 'isShared') ?? false,
    };
    await this.deeds.record(user, { operation: 'views.save', object: id }, () => this.writer.put('view', id, view));
    return view;
  }

  @Serves('DELETE /api/views/:id')
  async removeView(@Param('id') id: string, @User() user: CurrentUser): Promise<SavedView[]> {
    const known = this.reader.state.get('view', id);
    if (!known) throw notFound('There is no such view.');
    if (known.owner !== user.id && user.role !== 'admin') throw notAllowed('This view belongs to somebody else.');
    await this.deeds.record(user, { operation: 'views.remove', object: id }, () => this.writer.put('view', id, null));
    return this.views(user);
  }

  @Serves('GET /api/audit')
  async audit(@Query() query: unknown, @User() user: CurrentUser): Promise<AuditEntry[]> {
    const fields = fieldsOf(query);
    const filters = (['actor', 'operation', 'object'] as const).flatMap((name) => {
      const value = optionalText(fields, name, 200);
      return value === undefined ? [] : [[name, value] as const];
    });
    const before = timeParameter(timeOf(fields, 'before') ?? new Date(Date.now() + 60_000));
    const rows = await this.tables.select<AuditEntry>(
      user,
      `SELECT toString(action_id) AS id, min(d.received_at) AS at, any(d.actor) AS actor, any(d.role) AS role, any(d.face) AS face,
         any(d.origin) AS origin, any(d.operation) AS operation, any(d.object) AS object, any(d.details) AS details,
         argMax(d.outcome, d.outcome != 'intended') AS outcome, max(d.error) AS error
       FROM (SELECT * FROM operator_actions WHERE received_at < {before:DateTime64(3)} ${filters.map(([name]) => `AND ${name} = {${name}:String}`).join(' ')}
         ORDER BY received_at DESC LIMIT 1000) AS d
       GROUP BY action_id ORDER BY at DESC LIMIT 200`,
      { before, ...Object.fromEntries(filters) },
    );
    return rows.map((row) => ({ ...row, at: isoOf(row.at) }));
  }
}

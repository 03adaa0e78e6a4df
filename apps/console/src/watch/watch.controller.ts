import { Body, Controller, Param, Query } from '@nestjs/common';
import {
  type ChangeDetail,
  type NewMute,
  type ShownChange,
  type ShownChanges,
  type WatchedChange,
  type WatchMute,
  type WatchQuery,
} from '@sluice/console-api';
import { readChangeHours, readWatch } from '@sluice/operations';
import { SourceReader } from '@sluice/sources';
import { invalid, notFound } from '../http/console-error.js';
import { ActingUser, Serves } from '../http/operation.js';
import { Payloads } from '../payload/payloads.js';
import { Tables } from '../servers/tables.js';
import { type CurrentUser } from '../session/current-user.js';
import { Actions } from '../settings/actions.js';

const dayMs = 86_400_000;

/** Shows what changed: docs/watch.md. Names that clients sent are masked for everybody, as in lists. */
@Controller()
export class WatchController {
  constructor(
    private readonly tables: Tables,
    private readonly sources: SourceReader,
    private readonly payloads: Payloads,
    private readonly actions: Actions,
  ) {}

  @Serves('GET /api/watch')
  async list(@Query() { source }: WatchQuery, @ActingUser() user: CurrentUser): Promise<ShownChanges> {
    const state = await readWatch(this.tables.selectFor(user), source);
    return { ...state, changes: state.changes.map((change) => this.mask(change)) };
  }

  @Serves('GET /api/watch/:id')
  async detail(@Param('id') id: string, @ActingUser() user: CurrentUser): Promise<ChangeDetail> {
    const change = await this.requireChange(user, id);
    const unit = change.kind === 'stopped' || change.kind === 'fell' ? 'messages' : 'percent';
    return { change: this.mask(change), hours: await readChangeHours(this.tables.selectFor(user), change), unit };
  }

  /** Mutes the event of a change by name, or its whole source. The action is the mute: docs/decisions/0115-mutes-are-actions.md. */
  @Serves('PUT /api/watch/:id/mute')
  mute(@Param('id') id: string, @Body() body: NewMute, @ActingUser() user: CurrentUser): Promise<WatchMute> {
    const reason = body.reason.trim();
    if (reason === '') throw invalid('A mute needs a reason.');
    const until = new Date(Math.floor((Date.now() + body.days * dayMs) / 1_000) * 1_000).toISOString();
    return this.writeMute(user, id, { until, reason });
  }

  @Serves('DELETE /api/watch/:id/mute')
  unmute(@Param('id') id: string, @ActingUser() user: CurrentUser): Promise<WatchMute> {
    return this.writeMute(user, id, { until: new Date(0).toISOString(), reason: '' });
  }

  private async writeMute(
    user: CurrentUser,
    id: string,
    { until, reason }: Pick<WatchMute, 'until' | 'reason'>,
  ): Promise<WatchMute> {
    const change = await this.requireChange(user, id);
    const { source, event } = change;
    const operation = reason === '' ? 'watch.unmute' : 'watch.mute';
    const details = { event, until, reason };
    await this.actions.record(user, { operation, object: source, details }, () => Promise.resolve());
    const shownEvent = this.payloads.masked.value('event', event, { source, at: change.found });
    return { source, event: shownEvent, until, reason, actor: user.id };
  }

  private async requireChange(user: CurrentUser, id: string): Promise<WatchedChange> {
    const change = (await readWatch(this.tables.selectFor(user))).changes.find((candidate) => candidate.id === id);
    if (!change) throw notFound('There is no such change, or it ended more than a week ago.');
    return change;
  }

  private mask(change: WatchedChange): ShownChange {
    const scope = { source: change.source, at: change.found };
    const maskText = (name: string, text: string): string => this.payloads.masked.value(name, text, scope);
    const [event, property] = [maskText('event', change.event), maskText('path', change.property)];
    return {
      ...change,
      event,
      property,
      since: maskText('version', change.since),
      mute: change.mute && { ...change.mute, event },
      sourceName: this.sources.registry.nameOf(change.source),
    };
  }
}

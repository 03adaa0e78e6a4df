import { randomUUID } from 'node:crypto';
import { Body, Controller, Logger, Res } from '@nestjs/common';
import {
  type ErasureList,
  type ErasureView,
  type NewErasure,
  type Person,
  type PersonPreview,
  type ReappliedErasures,
  type Restored,
  type SuppressionResult,
} from '@sluice/console-api';
import {
  type Erasure,
  ErasureStore,
  exportPerson,
  isOpen,
  type PeopleStores,
  previewErasure,
  reapplyErasures,
  requestErasure,
  maskId,
  makeShownIds,
  suppressPeople,
  unsuppressPeople,
} from '@sluice/operations';
import { errorCode } from '@sluice/service';
import { type FastifyReply } from 'fastify';
import { Serves, ActingUser } from '../http/operation.js';
import { type CurrentUser } from '../session/current-user.js';
import { Actions, type UserAction } from '../settings/actions.js';
import { PeopleAccess, requireSuppressible } from './people-access.js';
import { ZipTarget } from './zip-target.js';

const maxErasures = 500;
/** Time to wait for messages of a person that are on their way. */
const maxWaitForStoredMs = 60_000;

/** Answers people who want a copy of their data, or to be forgotten. Their ids never get into logs or audit records. */
@Controller()
export class PrivacyController {
  private readonly logger = new Logger(PrivacyController.name);

  constructor(
    private readonly people: PeopleAccess,
    private readonly erasures: ErasureStore,
    private readonly actions: Actions,
  ) {}

  @Serves('GET /api/privacy/erasures')
  list(): ErasureList {
    const all = this.erasures.list();
    return { erasures: all.slice(-maxErasures).reverse().map(viewErasure), open: all.filter(isOpen).length };
  }

  @Serves('POST /api/privacy/preview')
  preview(
    @Body() person: Person,
    @ActingUser() user: CurrentUser,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<PersonPreview> {
    const ids = this.people.listIds(person);
    return this.people.withStores(user, reply, async (places) => {
      return this.people.view(await previewErasure(places, ids, person.isReverse ?? false));
    });
  }

  /** Only stores the request: `operator privacy run` deletes, for all requests together. */
  @Serves('POST /api/privacy/erasures')
  erase(
    @Body() body: NewErasure,
    @ActingUser() user: CurrentUser,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ErasureView> {
    const { isReverse = false, keepsSuppressed = false, by = '' } = body;
    const ids = this.people.listIds(body);
    return this.people.withStores(user, reply, async (places) => {
      const action = buildAction('privacy.erase', body, places, { by, isReverse, keepsSuppressed });
      const request = { ids, by: by === '' ? user.id : by, isReverse, keepsSuppressed };
      return viewErasure(await this.actions.record(user, action, () => requestErasure(places, request)));
    });
  }

  @Serves('POST /api/privacy/suppress')
  suppress(@Body() person: Person, @ActingUser() user: CurrentUser): Promise<SuppressionResult> {
    return this.change('privacy.suppress', suppressPeople, person, user);
  }

  @Serves('POST /api/privacy/unsuppress')
  unsuppress(@Body() person: Person, @ActingUser() user: CurrentUser): Promise<SuppressionResult> {
    return this.change('privacy.unsuppress', unsuppressPeople, person, user);
  }

  @Serves('POST /api/privacy/export')
  async export(@Body() person: Person, @ActingUser() user: CurrentUser, @Res() reply: FastifyReply): Promise<void> {
    const ids = this.people.listIds(person);
    const isReverse = person.isReverse ?? false;
    const target = new ZipTarget(() => {
      void reply.header('content-type', 'application/zip');
      void reply.header('content-disposition', 'attachment; filename="person.zip"');
      void reply.send(target.stream);
    });
    try {
      await this.people.withStores(user, reply, (places) => {
        const { kafka, servers, tables } = places;
        const exportOptions = { kafka, servers, tables, ids, isReverse, target, maxMs: maxWaitForStoredMs };
        const action = buildAction('privacy.export', person, places, { isReverse });
        return this.actions.record(user, action, () => exportPerson(exportOptions));
      });
      // Whoever has the whole file may ask again at once.
      target.end();
    } catch (error) {
      if (!target.isBegun) throw error;
      // The browser sees a download that broke off.
      this.logger.warn({ msg: 'an export broke off', error: errorCode(error) });
      target.stream.destroy();
    }
  }

  /** Opens erasures again after a restore: the next run deletes the rows that the backup has brought back. */
  @Serves('POST /api/privacy/reapply')
  reapply(
    @Body() { since }: Restored,
    @ActingUser() user: CurrentUser,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ReappliedErasures> {
    return this.people.withStores(user, reply, ({ store }) =>
      this.actions.record(user, { operation: 'privacy.reapply', object: 'erasures', details: { since } }, async () => {
        const { again, closed } = await reapplyErasures(store, Date.parse(since));
        return { again: again.length, closed };
      }),
    );
  }

  private change(
    operation: string,
    apply: typeof suppressPeople,
    person: Person,
    user: CurrentUser,
  ): Promise<SuppressionResult> {
    this.people.listIds(person);
    const ids = requireSuppressible(person.ids);
    const { config } = this.people;
    const people = { source: person.source ?? undefined, ids };
    return this.people.runOnePerUser(user, async () => {
      const request = randomUUID();
      const hashedIds = makeShownIds(config, people).map(({ source, kind, hash }) => `${source}:${kind}:${hash}`);
      const details = { request, count: ids.length, ids: hashedIds };
      const action = { operation, object: person.source ?? 'all sources', details };
      const { changed } = await this.actions.record(user, action, () => apply(config, people, request, config));
      return { changed: changed.length };
    });
  }
}

/** An action on a person, who is named by the beginnings of keyed hashes. */
function buildAction(
  operation: string,
  { source, ids }: Person,
  { key }: PeopleStores,
  details: Record<string, unknown>,
): UserAction {
  const maskedIds = ids.map((id) => maskId(key, { source: source ?? '*', ...id }));
  return { operation, object: source ?? 'all sources', details: { ...details, count: ids.length, ids: maskedIds } };
}

const viewErasure = (erasure: Erasure): ErasureView => ({
  request: erasure.request,
  state: erasure.state,
  requestedAt: erasure.requestedAt,
  by: erasure.by,
  sources: erasure.sources,
  ids: erasure.ids,
  othersDevices: erasure.othersDevices,
  rows: erasure.rows,
  keepsSuppressed: erasure.keepsSuppressed,
  reached: erasure.reached,
  reapplied: erasure.reapplied,
  problem: erasure.problem ?? null,
  clearAt: erasure.clearAt ?? null,
});

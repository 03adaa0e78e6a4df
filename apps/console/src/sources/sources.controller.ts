import { Body, Controller, Inject, Param, Query } from '@nestjs/common';
import {
  type Arrivals,
  type ArrivalsQuery,
  type CreatedSource,
  type FieldRuleSet,
  type IssuedKey,
  type LimitChanges,
  type NamedFieldRule,
  type NewOrigins,
  type NewPrivacy,
  type NewSegment,
  type NewSource,
  type NewStatus,
  type NewUserAgent,
  type RangeQuery,
  type SourceDetail,
  type SourceList,
  type SourceListQuery,
  type SourceSettings,
  type SourceSummary,
  type SourceView,
} from '@sluice/console-api';
import { requireHashKey, parseFieldRule, parseName, parseOrigins, parsePurpose, viewSource } from '@sluice/operations';
import { hasPublicKey, type Source, SourceReader, SourceWriter } from '@sluice/sources';
import { consoleConfig, type ConsoleConfig } from '../config.js';
import { invalid, notFound } from '../http/console-error.js';
import { Serves, ActingUser } from '../http/operation.js';
import { requirePeriod } from '../http/range.js';
import { RefusedReader } from '../refused/refused-reader.js';
import { Watches } from '../refused/watches.js';
import { type CurrentUser } from '../session/current-user.js';
import { Actions } from '../settings/actions.js';
import { SeriesReader } from '../status/series.js';
import { type ActivityOf } from './source-activity.js';
import { SourceFacts } from './source-facts.js';
import { compareNames, inOrderOfLook, isNamed, judgeLook } from './source-order.js';

/** Kinds of refusals that the page of a source shows; the others are on their own page. */
const maxRefusals = 25;

/** Serves sources, their keys and their health. */
@Controller()
export class SourcesController {
  constructor(
    private readonly reader: SourceReader,
    private readonly writer: SourceWriter,
    private readonly actions: Actions,
    private readonly facts: SourceFacts,
    private readonly series: SeriesReader,
    private readonly refused: RefusedReader,
    private readonly watches: Watches,
    @Inject(consoleConfig) private readonly config: ConsoleConfig,
  ) {}

  @Serves('GET /api/sources')
  async list(@Query() query: SourceListQuery, @ActingUser() user: CurrentUser): Promise<SourceList> {
    const { text = '', status, order = 'look', skip = 0, limit = 50, numbers } = query;
    const activityOf = numbers === 'none' ? undefined : await this.facts.activity(user);
    const all = this.reader.registry.list();
    const matchingSources = all.filter(
      (source) => isNamed(source, text) && (status ?? source.status) === source.status,
    );
    // Without numbers nothing is known to need a look.
    const ordered =
      order === 'look' && activityOf ? inOrderOfLook(matchingSources, activityOf) : matchingSources.sort(compareNames);
    const page = ordered.slice(skip, skip + limit);
    const sources = page.map((source) => ({ ...this.view(source), ...buildFacts(source, activityOf) }));
    return { sources, found: matchingSources.length, all: all.length };
  }

  @Serves('POST /api/sources')
  async create(@Body() body: NewSource, @ActingUser() user: CurrentUser): Promise<CreatedSource> {
    const { type, segment } = body;
    const name = parseName(body.name);
    const origins = body.origins && requireOrigins(body.origins);
    const details = { type, origins, segment };
    return this.actions.record(user, { operation: 'sources.create', object: name, details }, async () => {
      const { source, key, apiKey } = await this.writer.create({
        name,
        type,
        ...(origins && { origins }),
        ...(segment && { segment }),
      });
      return { source: this.view(source), keyId: key.keyId, apiKey };
    });
  }

  @Serves('GET /api/sources/:id')
  async show(
    @Param('id') id: string,
    @Query() query: RangeQuery,
    @ActingUser() user: CurrentUser,
  ): Promise<SourceDetail> {
    const source = this.find(id);
    const range = requirePeriod(query);
    const [activityOf, series, refusals, today, uses] = await Promise.all([
      this.facts.activity(user),
      this.series.read(user, range, id).then(
        ({ series: lines }) => lines,
        () => null,
      ),
      this.refused.groups(user, { ...range, source: id }, { skip: 0, limit: maxRefusals }).then(
        ({ groups }) => groups,
        () => [],
      ),
      this.facts.messagesToday(user, id),
      this.facts.keyUses(user, id),
    ]);
    const setup = this.facts.setup();
    const view = this.view(source);
    const keys = view.keys.map((key) => (uses ? { ...key, lastUsedAt: uses.get(key.keyId) ?? null } : key));
    return { ...view, keys, ...buildFacts(source, activityOf), series, refusals, ...today, setup };
  }

  @Serves('GET /api/sources/:id/settings')
  settings(@Param('id') id: string): SourceSettings {
    return { ...this.view(this.find(id)), setup: this.facts.setup() };
  }

  @Serves('GET /api/sources/:id/arrivals')
  arrivals(@Param('id') id: string, @Query() query: ArrivalsQuery, @ActingUser() user: CurrentUser): Promise<Arrivals> {
    this.watches.look(id);
    const since = new Date(query.since ?? this.find(id).createdAt);
    return this.facts.arrivals(user, id, since);
  }

  @Serves('POST /api/sources/:id/keys')
  async rotate(@Param('id') id: string, @ActingUser() user: CurrentUser): Promise<IssuedKey> {
    this.find(id);
    const { key, apiKey } = await this.actions.record(user, { operation: 'sources.rotate-key', object: id }, () =>
      this.writer.rotateKey(id),
    );
    return { keyId: key.keyId, apiKey };
  }

  @Serves('POST /api/sources/:id/keys/:keyId/revoke')
  revoke(@Param('id') id: string, @Param('keyId') keyId: string, @ActingUser() user: CurrentUser): Promise<SourceView> {
    return this.change(user, id, 'sources.revoke-key', { keyId }, () => this.writer.revokeKey(id, keyId));
  }

  @Serves('PUT /api/sources/:id/status')
  setStatus(
    @Param('id') id: string,
    @Body() { status }: NewStatus,
    @ActingUser() user: CurrentUser,
  ): Promise<SourceView> {
    return this.change(user, id, 'sources.status', { status }, () => this.writer.setStatus(id, status));
  }

  @Serves('PUT /api/sources/:id/limits')
  setLimits(@Param('id') id: string, @Body() body: LimitChanges, @ActingUser() user: CurrentUser): Promise<SourceView> {
    const changes = Object.fromEntries(Object.entries(body).map(([name, value]) => [name, value ?? undefined]));
    return this.change(user, id, 'sources.limits', changes, () => this.writer.setLimits(id, changes));
  }

  @Serves('PUT /api/sources/:id/origins')
  setOrigins(@Param('id') id: string, @Body() body: NewOrigins, @ActingUser() user: CurrentUser): Promise<SourceView> {
    const origins = body.origins === null ? undefined : requireOrigins(body.origins);
    if (origins && !hasPublicKey(this.find(id))) throw invalid('Origins are for sources of pages and apps.');
    return this.change(user, id, 'sources.origins', { origins: origins ?? null }, () =>
      this.writer.setOrigins(id, origins),
    );
  }

  @Serves('PUT /api/sources/:id/user-agent')
  setUserAgent(
    @Param('id') id: string,
    @Body() body: NewUserAgent,
    @ActingUser() user: CurrentUser,
  ): Promise<SourceView> {
    const { userAgent } = body;
    return this.change(user, id, 'sources.user-agent', { userAgent }, () => this.writer.setUserAgent(id, userAgent));
  }

  @Serves('PUT /api/sources/:id/segment')
  setSegment(
    @Param('id') id: string,
    @Body() { segment }: NewSegment,
    @ActingUser() user: CurrentUser,
  ): Promise<SourceView> {
    return this.change(user, id, 'sources.segment', { segment }, () => this.writer.setSegment(id, segment));
  }

  @Serves('PUT /api/sources/:id/privacy')
  setPrivacy(@Param('id') id: string, @Body() body: NewPrivacy, @ActingUser() user: CurrentUser): Promise<SourceView> {
    const rules = parseRules(body.rules);
    const requireConsent = body.requireConsent === null ? undefined : parsePurpose(body.requireConsent);
    const details = { rules, requireConsent: requireConsent ?? null };
    const key = requireHashKey(findNewRules(rules, this.find(id).pii), this.config.PRIVACY_KEY);
    return this.change(user, id, 'sources.privacy', details, () =>
      this.writer.setPrivacy(id, { pii: rules, ...key, requireConsent }),
    );
  }

  private async change(
    user: CurrentUser,
    id: string,
    operation: string,
    details: Record<string, unknown>,
    work: () => Promise<unknown>,
  ): Promise<SourceView> {
    this.find(id);
    await this.actions.record(user, { operation, object: id, details }, work);
    return this.view(this.find(id));
  }

  private find(id: string): Source {
    const source = this.reader.registry.find(id);
    if (!source) throw notFound(`There is no source ${id}.`);
    return source;
  }

  private view(source: Source): SourceView {
    return viewSource(source, this.reader.registry);
  }
}

type Facts = Pick<SourceSummary, 'eventsLastHour' | 'refusedLastHour' | 'newestReceived' | 'look'>;
const unknownFacts: Facts = { eventsLastHour: null, refusedLastHour: null, newestReceived: null };

function buildFacts({ sourceIdentifier }: Source, activityOf: ActivityOf | undefined): Facts {
  if (!activityOf) return unknownFacts;
  const activity = activityOf(sourceIdentifier);
  const { events: eventsLastHour, refused: refusedLastHour, newestReceived } = activity;
  const look = judgeLook(activity);
  return { eventsLastHour, refusedLastHour, newestReceived, ...(look && { look }) };
}

function parseRules(namedRules: readonly NamedFieldRule[]): FieldRuleSet {
  const rules = namedRules.map(({ path, rule }) => parseFieldRule(`${path}=${rule}`));
  const paths = new Set(rules.map(([path]) => path));
  if (paths.size < rules.length) throw invalid('A field can have one rule only.');
  return Object.fromEntries(rules) as FieldRuleSet;
}

const findNewRules = (rules: FieldRuleSet, present: FieldRuleSet = {}): FieldRuleSet =>
  Object.fromEntries(Object.entries(rules).filter(([path, rule]) => present[path] !== rule));

function requireOrigins(texts: readonly string[]): string[] {
  const origins = parseOrigins(texts.join(','));
  if (origins === 'any') throw invalid('origins must be a list of origins.');
  return origins;
}

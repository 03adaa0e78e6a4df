import { type DynamicModule, Module, type Provider } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { createClickHouse, Sieve } from '@sluice/clickhouse';
import { type Kafka, LetterIndex } from '@sluice/kafka';
import { allTopics } from '@sluice/contracts';
import { Audit, ConsoleReader, ConsoleWriter, ErasureStore } from '@sluice/operations';
import { PlanReader, PlanWriter } from '@sluice/plans';
import { type Service, serviceModule } from '@sluice/service';
import { SourceReader, SourceWriter } from '@sluice/sources';
import { consoleConfig, type consoleVariables, parseSite } from './config.js';
import { CanaryController } from './canary/canary.controller.js';
import { CatalogViewsController } from './catalog/catalog-views.controller.js';
import { CatalogReader } from './catalog/catalog-reader.js';
import { Connections } from './connections.js';
import { DeadLettersController } from './dead-letters/dead-letters.controller.js';
import { EditController, RowCheck } from './dead-letters/edit.controller.js';
import { Letters } from './dead-letters/letters.js';
import { ReplayMarks } from './dead-letters/replay-marks.js';
import { StoredLetters } from './dead-letters/stored-letters.js';
import { EventsController } from './events/events.controller.js';
import { EventsReader } from './events/events-reader.js';
import { SearchController } from './events/search.controller.js';
import { ConsoleErrorFilter } from './http/console-error.filter.js';
import { Live } from './live/live.js';
import { LiveController } from './live/live.controller.js';
import { OpenApiController } from './openapi/openapi.controller.js';
import { Payloads } from './payload/payloads.js';
import { Reads } from './payload/reads.js';
import { LedgerController } from './pipeline/ledger.controller.js';
import { LedgerReader } from './pipeline/ledger.js';
import { RefusedController } from './refused/refused.controller.js';
import { RefusedReader } from './refused/refused-reader.js';
import { Watches } from './refused/watches.js';
import { RequestsController } from './requests/requests.controller.js';
import { ServerWatch } from './servers/servers.js';
import { limits, Tables } from './servers/tables.js';
import { Gate } from './session/gate.js';
import { Oidc } from './session/oidc.js';
import { Sealed } from './session/sealed.js';
import { SessionController } from './session/session.controller.js';
import { Sessions } from './session/sessions.js';
import { Actions } from './settings/actions.js';
import { SettingsController } from './settings/settings.controller.js';
import { UsersController } from './settings/users.controller.js';
import { PeopleAccess } from './privacy/people-access.js';
import { PrivacyController } from './privacy/privacy.controller.js';
import { PlansController } from './plans/plans.controller.js';
import { PlanVersionsController } from './plans/plan-versions.controller.js';
import { PlanFacts } from './plans/plan-facts.js';
import { SourceActivity } from './sources/source-activity.js';
import { SourceFacts } from './sources/source-facts.js';
import { SourcesController } from './sources/sources.controller.js';
import { NowStreams } from './status/now-streams.js';
import { SeriesReader } from './status/series.js';
import { SourceVerdicts } from './status/source-verdicts.js';
import { StatusCache } from './status/status-cache.js';
import { StatusController } from './status/status.controller.js';
import { TryController } from './try/try.controller.js';
import { WatchController } from './watch/watch.controller.js';

const controllers = [
  SessionController,
  UsersController,
  SettingsController,
  StatusController,
  WatchController,
  CanaryController,
  CatalogViewsController,
  SourcesController,
  PlansController,
  PlanVersionsController,
  PrivacyController,
  RequestsController,
  RefusedController,
  TryController,
  DeadLettersController,
  EditController,
  LedgerController,
  LiveController,
  EventsController,
  SearchController,
  OpenApiController,
];

/** Provides a class of ours by its one instance. */
const value = <T>(provide: new (...args: never[]) => T, useValue: T): Provider => ({ provide, useValue });

const topics = allTopics.map(({ name }) => name);

/** Everything that lives as long as the app. */
function buildProviders({ config, health }: Service<typeof consoleVariables>, kafka: Kafka): Provider[] {
  const site = parseSite(config);
  const clickhouse = createClickHouse(config, config.CLICKHOUSE_DATABASE, { ...limits, log_comment: 'console' });
  const sealed = new Sealed(site.secret);
  const reader = new ConsoleReader(kafka);
  const writer = new ConsoleWriter(kafka, reader.state);
  const [sources, plans] = [new SourceReader(kafka), new PlanReader(kafka)];
  const [erasures, audit] = [new ErasureStore(kafka), new Audit(kafka)];
  const watch = new ServerWatch(config, createClickHouse(config, 'default'));
  const tables = new Tables(clickhouse, watch);
  const sessions = new Sessions(site, sealed, reader.state);
  const payloads = new Payloads(reader, site.secret);
  const refused = new RefusedReader(tables, sources, payloads);
  const sourceWriter = new SourceWriter(kafka, sources.registry);
  const watches = new Watches(sources, sourceWriter);
  const [marks, stored] = [new ReplayMarks(reader, writer, payloads), new StoredLetters(tables)];
  const index = new LetterIndex(kafka, topics, (letter) => marks.isTreated(letter));
  const letters = new Letters(index, marks, stored, reader, payloads);
  const activity = new SourceActivity(tables);
  const status = new StatusCache(config, watch, letters, new SourceVerdicts(tables, sources));
  return [
    value(Gate, new Gate(site, sessions, watch)),
    value(Sessions, sessions),
    value(Sealed, sealed),
    value(Oidc, new Oidc(config, `${site.origin}/api/session/oidc/callback`)),
    value(ConsoleReader, reader),
    value(ConsoleWriter, writer),
    value(SourceReader, sources),
    value(SourceWriter, sourceWriter),
    value(PlanReader, plans),
    value(PlanWriter, new PlanWriter(kafka, plans.registry)),
    value(PlanFacts, new PlanFacts(tables, payloads)),
    value(ErasureStore, erasures),
    value(PeopleAccess, new PeopleAccess(config, sources)),
    value(Watches, watches),
    value(Actions, new Actions(audit, site)),
    value(Tables, tables),
    { provide: RowCheck, useValue: new Sieve(clickhouse) },
    value(ReplayMarks, marks),
    value(Letters, letters),
    value(StoredLetters, stored),
    value(Payloads, payloads),
    value(Reads, new Reads(audit)),
    value(ServerWatch, watch),
    value(RefusedReader, refused),
    value(EventsReader, new EventsReader(tables, sources)),
    value(CatalogReader, new CatalogReader(tables, sources, payloads)),
    value(SeriesReader, new SeriesReader(tables, watch)),
    value(StatusCache, status),
    value(NowStreams, new NowStreams(sessions, watch, status, payloads)),
    value(SourceActivity, activity),
    value(SourceFacts, new SourceFacts(config, tables, refused, payloads, activity)),
    value(LedgerReader, new LedgerReader(config, tables)),
    value(Live, new Live(kafka, sessions, watch, payloads, watches, sources)),
    value(
      Connections,
      new Connections({ kafka, config, reader, writer, sources, plans, erasures, audit, clickhouse }, health),
    ),
  ];
}

@Module({})
export class ConsoleModule {
  static register(service: Service<typeof consoleVariables>, kafka: Kafka): DynamicModule {
    return {
      module: ConsoleModule,
      imports: [serviceModule(service)],
      controllers,
      providers: [
        { provide: APP_FILTER, useClass: ConsoleErrorFilter },
        { provide: consoleConfig, useValue: service.config },
        ...buildProviders(service, kafka),
      ],
    };
  }
}

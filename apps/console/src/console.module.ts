import { type DynamicModule, Module } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { createClickHouse } from '@sluice/clickhouse';
import { type Kafka } from '@sluice/kafka';
import { Audit, ConsoleReader, ConsoleWriter } from '@sluice/operations';
import { type Service, serviceModule } from '@sluice/service';
import { SourceReader, SourceWriter } from '@sluice/sources';
import { consoleConfig, type consoleVariables, siteOf } from './config.js';
import { Connections } from './connections.js';
import { DeadLettersController } from './dead-letters/dead-letters.controller.js';
import { ConsoleErrorFilter } from './http/console-error.filter.js';
import { Live } from './live/live.js';
import { LiveController } from './live/live.controller.js';
import { Payloads } from './payload/payloads.js';
import { LedgerController } from './pipeline/ledger.controller.js';
import { LedgerReader } from './pipeline/ledger.js';
import { RefusedController } from './refused/refused.controller.js';
import { RefusedReader } from './refused/refused-reader.js';
import { RequestsController } from './requests/requests.controller.js';
import { ServerWatch } from './servers/servers.js';
import { Tables } from './servers/tables.js';
import { Gate } from './session/gate.js';
import { Oidc } from './session/oidc.js';
import { Sealed } from './session/sealed.js';
import { SessionController } from './session/session.controller.js';
import { Sessions } from './session/sessions.js';
import { Deeds } from './settings/deeds.js';
import { SettingsController } from './settings/settings.controller.js';
import { UsersController } from './settings/users.controller.js';
import { SourceFacts } from './sources/source-facts.js';
import { SourcesController } from './sources/sources.controller.js';
import { SeriesReader } from './status/series.js';
import { StatusCache } from './status/status-cache.js';
import { StatusController } from './status/status.controller.js';
import { TryController } from './try/try.controller.js';

const controllers = [
  ...[SessionController, UsersController, SettingsController, StatusController, SourcesController, RequestsController],
  ...[RefusedController, TryController, DeadLettersController, LedgerController, LiveController],
];

@Module({})
export class ConsoleModule {
  static register(service: Service<typeof consoleVariables>, kafka: Kafka): DynamicModule {
    const { config, health } = service;
    const site = siteOf(config);
    const clickhouse = createClickHouse(config);
    const sealed = new Sealed(site.secret);
    const reader = new ConsoleReader(kafka);
    const writer = new ConsoleWriter(kafka, reader.state);
    const sources = new SourceReader(kafka);
    const audit = new Audit(kafka);
    const tables = new Tables(clickhouse);
    const sessions = new Sessions(site, sealed, reader.state);
    const watch = new ServerWatch(kafka, clickhouse);
    const payloads = new Payloads(reader, site.secret);
    const refused = new RefusedReader(tables, sources);
    const connections = new Connections({ kafka, config, reader, writer, sources, audit, clickhouse }, health);
    const value = <T>(provide: new (...args: never[]) => T, useValue: T) => ({ provide, useValue });
    const deeds = new Deeds(audit, site);
    const oidc = new Oidc(config, `${site.origin}/api/session/oidc/callback`);
    const series = new SeriesReader(tables);
    const status = new StatusCache(config, watch);
    const facts = new SourceFacts(config, tables, refused);
    return {
      module: ConsoleModule,
      imports: [serviceModule(service)],
      controllers,
      providers: [
        { provide: consoleConfig, useValue: config },
        { provide: APP_FILTER, useClass: ConsoleErrorFilter },
        ...[value(Gate, new Gate(site, sessions)), value(Sessions, sessions), value(Sealed, sealed), value(Oidc, oidc)],
        ...[
          value(ConsoleReader, reader),
          value(ConsoleWriter, writer),
          value(SourceReader, sources),
          value(Deeds, deeds),
        ],
        ...[
          value(SourceWriter, new SourceWriter(kafka, sources.registry)),
          value(Tables, tables),
          value(Payloads, payloads),
        ],
        ...[value(ServerWatch, watch), value(RefusedReader, refused), value(SeriesReader, series)],
        ...[
          value(StatusCache, status),
          value(SourceFacts, facts),
          value(LedgerReader, new LedgerReader(config, tables)),
        ],
        ...[value(Live, new Live(kafka, sessions, watch, payloads)), value(Connections, connections)],
      ],
    };
  }
}

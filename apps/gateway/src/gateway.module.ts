import { type DynamicModule, Module, type Provider } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { allTopics, refusedTopic } from '@sluice/contracts';
import { type Kafka, RecordSnapshot, Sender } from '@sluice/kafka';
import { PlanReader } from '@sluice/plans';
import { PrivacyMetrics, SuppressionReader } from '@sluice/privacy';
import { PushTokens } from '@sluice/push-tokens';
import { Health, type Registry, type Service, serviceModule } from '@sluice/service';
import { SourceReader } from '@sluice/sources';
import { Credentials } from './auth/credentials.js';
import { SourceStaleness } from './auth/source-staleness.js';
import { Canary } from './canary/canary.js';
import { CanaryDoor } from './canary/canary-door.js';
import { CatalogApi } from './catalog/catalog-api.js';
import { Versions } from './catalog/state-versions.js';
import { type GatewayConfig, type gatewayVariables } from './config.js';
import { GatewayConnections } from './connections.js';
import { FieldHasher } from './field-rules/field-hasher.js';
import { SourceRulesBook } from './field-rules/source-rules.js';
import { ApiErrorFilter } from './http/api-error.filter.js';
import { Admission } from './http/turns/admission.js';
import { ConnectionMetrics } from './http/connections/connection-metrics.js';
import { Edge } from './http/edge.js';
import { RequestMetrics } from './http/answering/request-metrics.js';
import { Routes } from './http/routes.js';
import { Acceptance } from './intake/acceptance.js';
import { IntakeMetrics } from './intake/intake-metrics.js';
import { Intake } from './intake/intake.js';
import { SourceLimiter } from './limits/source-limiter.js';
import { SourceMetrics } from './limits/source-metrics.js';
import { SourceNames } from './limits/source-names.js';
import { SourceTimes } from './limits/source-times.js';
import { UsageBook } from './limits/usage-book.js';
import { UsageExchange } from './limits/usage-exchange.js';
import { UtcDay } from './limits/utc-day.js';
import { PlanMetrics } from './plans/plan-metrics.js';
import { planReader } from './plans/plan-reader.js';
import { SuppressedRows } from './privacy/suppressed-rows.js';
import { suppressionReader } from './privacy/suppression-reader.js';
import { PushCallbacks } from './push/push-callbacks.js';
import { PushCallbacksController } from './push/push-callbacks.controller.js';
import { PushEventRows } from './push/push-events.js';
import { PushMetrics } from './push/push-metrics.js';
import { AdRequests } from './rtb/ad-requests.js';
import { RefusedLog } from './refused/refused-log.js';
import { RtbController } from './rtb/rtb.controller.js';
import { Outbox } from './spool/outbox.js';
import { Spool } from './spool/spool.js';
import { SpoolDisk } from './spool/spool-disk.js';
import { SpoolMetrics } from './spool/spool-metrics.js';
import { SegmentIntake } from './segment/segment-intake.js';
import { TrackingApi } from './tracking/tracking-api.js';

const topicNames = allTopics.map(({ name }) => name);

function createAdmission(config: GatewayConfig, health: Health): Admission {
  const admission = new Admission(config);
  health.ready.set('load', () => {
    if (admission.load.isOverloadedForLong) throw new Error('most requests are refused');
    return { inWork: admission.inWork };
  });
  return admission;
}

/** The log of refusals has a connection of its own, so that it never holds up messages. */
const provideRefusedLog = (kafka: Kafka): Provider => ({
  provide: RefusedLog,
  useFactory: (sources: SourceReader, suppressed: SuppressedRows, rules: SourceRulesBook) =>
    new RefusedLog(new Sender(kafka, [refusedTopic.name]), sources, suppressed, rules),
  inject: [SourceReader, SuppressedRows, SourceRulesBook],
});

const provideSuppressions = (kafka: Kafka, config: GatewayConfig, metrics: Registry): Provider[] => {
  const reader = suppressionReader(kafka, config);
  return [
    { provide: SuppressionReader, useValue: reader },
    { provide: PrivacyMetrics, useValue: new PrivacyMetrics(reader, metrics) },
    SuppressedRows,
  ];
};

const provideSourceNames = (config: GatewayConfig, metrics: Registry): Provider => ({
  provide: SourceNames,
  useFactory: ({ registry }: SourceReader, today: UtcDay) => {
    const fallback = config.SOURCE_MAX_NAMES_PER_DAY;
    const boundFor = (source: string): number => registry.find(source)?.limits?.namesPerDay ?? fallback;
    return new SourceNames({ boundFor, today, metrics });
  },
  inject: [SourceReader, UtcDay],
});

const provideEdge = (config: GatewayConfig): Provider => ({
  provide: Edge,
  useFactory: (
    admission: Admission,
    credentials: Credentials,
    routes: Routes,
    limits: SourceLimiter,
    times: SourceTimes,
  ) => new Edge(config, { admission, credentials, routes, limits, times }),
  inject: [Admission, Credentials, Routes, SourceLimiter, SourceTimes],
});

const provideConnections = (kafka: Kafka, config: GatewayConfig): Provider => ({
  provide: GatewayConnections,
  useFactory: (
    ...[outbox, sources, plans, suppressions, usage, refused, health]: [
      Outbox,
      SourceReader,
      PlanReader,
      SuppressionReader,
      UsageExchange,
      RefusedLog,
      Health,
    ]
  ) => new GatewayConnections({ kafka, config, outbox, sources, plans, suppressions, usage, refused }, health),
  inject: [Outbox, SourceReader, PlanReader, SuppressionReader, UsageExchange, RefusedLog, Health],
});

/** Providers that check messages and take them. */
const provideIntake = ({ PRIVACY_KEY }: GatewayConfig, metrics: Registry): Provider[] => [
  { provide: FieldHasher, useValue: new FieldHasher(PRIVACY_KEY, metrics) },
  ...[PlanMetrics, SourceRulesBook, Acceptance, Intake, SegmentIntake],
];

const provideCanary = (config: GatewayConfig, metrics: Registry): Provider[] => {
  const door = new CanaryDoor(config);
  return [
    { provide: CanaryDoor, useValue: door },
    {
      provide: Canary,
      useFactory: (outbox: Outbox) => {
        const isDrained = (): Promise<boolean> => Promise.resolve(outbox.state.rows === 0);
        return new Canary(config, { key: door.key, isDrained }, metrics);
      },
      inject: [Outbox],
    },
  ];
};

@Module({})
export class GatewayModule {
  static register(service: Service<typeof gatewayVariables>, kafka: Kafka): DynamicModule {
    const config: GatewayConfig = service.config;
    return {
      module: GatewayModule,
      imports: [serviceModule(service)],
      controllers: [PushCallbacksController, RtbController],
      providers: [
        {
          provide: Outbox,
          useFactory: () =>
            new Outbox(new Sender(kafka, topicNames, config.KAFKA_COMPRESSION, service.metrics), new Spool(config)),
        },
        {
          provide: SourceReader,
          useValue: new SourceReader(kafka, new RecordSnapshot(config.GATEWAY_DATA_DIR, 'sources')),
        },
        { provide: APP_FILTER, useClass: ApiErrorFilter },
        ...provideCanary(config, service.metrics),
        Credentials,
        Routes,
        RequestMetrics,
        ConnectionMetrics,
        SourceTimes,
        IntakeMetrics,
        { provide: Admission, useFactory: (health: Health) => createAdmission(config, health), inject: [Health] },
        provideEdge(config),
        { provide: UtcDay, useValue: new UtcDay() },
        { provide: UsageBook, useFactory: (today: UtcDay) => new UsageBook(today), inject: [UtcDay] },
        {
          provide: SourceLimiter,
          useFactory: ({ registry }: SourceReader, usage: UsageBook, today: UtcDay) =>
            new SourceLimiter(config.SOURCE_RATE_LIMIT_PER_SECOND, (source) => registry.find(source), usage, today),
          inject: [SourceReader, UsageBook, UtcDay],
        },
        {
          provide: UsageExchange,
          useFactory: (usage: UsageBook, limits: SourceLimiter) => new UsageExchange(kafka, usage, limits),
          inject: [UsageBook, SourceLimiter],
        },
        SourceMetrics,
        provideSourceNames(config, service.metrics),
        provideRefusedLog(kafka),
        SpoolMetrics,
        { provide: SpoolDisk, useValue: new SpoolDisk(config.GATEWAY_DATA_DIR, service.metrics) },
        SourceStaleness,
        { provide: PlanReader, useValue: planReader(kafka, config, service.metrics) },
        ...provideSuppressions(kafka, config, service.metrics),
        ...provideIntake(config, service.metrics),
        TrackingApi,
        CatalogApi,
        Versions,
        { provide: PushTokens, useValue: new PushTokens(config) },
        PushMetrics,
        PushEventRows,
        PushCallbacks,
        AdRequests,
        provideConnections(kafka, config),
      ],
    };
  }
}

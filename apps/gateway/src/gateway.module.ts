import { type DynamicModule, Injectable, Module, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { allTopics } from '@sluice/contracts';
import { type Kafka, Publisher } from '@sluice/kafka';
import { PushTokens } from '@sluice/push-tokens';
import { Health, type Service, serviceModule } from '@sluice/service';
import { SourceReader } from '@sluice/sources';
import { Credentials } from './auth/credentials.js';
import { CatalogApi } from './catalog/catalog-api.js';
import { Versions } from './catalog/versions.js';
import { type GatewayConfig, type gatewayVariables } from './config.js';
import { ApiErrorFilter } from './errors/api-error.filter.js';
import { HealthController } from './health/health.controller.js';
import { Edge } from './http/edge.js';
import { Routes } from './http/routes.js';
import { Intake } from './intake/intake.js';
import { PushCallbacks } from './push/push-callbacks.js';
import { PushCallbacksController } from './push/push-callbacks.controller.js';
import { PushEvents } from './push/push-events.js';
import { PushMetrics } from './push/push-metrics.js';
import { AdRequests } from './rtb/ad-requests.js';
import { RtbController } from './rtb/rtb.controller.js';
import { TrackingApi } from './tracking/tracking-api.js';

/** Connects before the port opens; disconnects after the last request is answered. */
@Injectable()
class Connections implements OnModuleInit, OnApplicationShutdown {
  constructor(
    private readonly publisher: Publisher,
    private readonly sources: SourceReader,
    health: Health,
  ) {
    health.ready.set('sources', () => {
      if (!this.sources.isComplete) throw new Error('the registry of sources is not read yet');
      return {};
    });
  }

  async onModuleInit(): Promise<void> {
    await Promise.all([this.publisher.start(), this.sources.start()]);
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all([this.publisher.stop(), this.sources.stop()]);
  }
}

@Module({})
export class GatewayModule {
  static register(service: Service<typeof gatewayVariables>, kafka: Kafka): DynamicModule {
    const config: GatewayConfig = service.config;
    return {
      module: GatewayModule,
      imports: [serviceModule(service)],
      controllers: [HealthController, PushCallbacksController, RtbController],
      providers: [
        {
          provide: Publisher,
          useValue: new Publisher(
            kafka,
            allTopics.map(({ name }) => name),
          ),
        },
        { provide: SourceReader, useValue: new SourceReader(kafka) },
        { provide: APP_FILTER, useClass: ApiErrorFilter },
        Credentials,
        Routes,
        {
          provide: Edge,
          useFactory: (credentials: Credentials, routes: Routes) => new Edge(config, credentials, routes),
          inject: [Credentials, Routes],
        },
        Intake,
        TrackingApi,
        CatalogApi,
        Versions,
        { provide: PushTokens, useValue: new PushTokens(config) },
        PushMetrics,
        PushEvents,
        PushCallbacks,
        AdRequests,
        Connections,
      ],
    };
  }
}

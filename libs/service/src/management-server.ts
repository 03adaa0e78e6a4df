import { Controller, Get, type DynamicModule, Header, Inject, Module } from '@nestjs/common';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { NestFactory } from '@nestjs/core';
import { HealthCheckService, HealthIndicatorService, TerminusModule } from '@nestjs/terminus';
import { Registry } from 'prom-client';
import { type ServiceConfig } from './config.js';
import { Health, type HealthCheck } from './health.js';
import { type Running } from './running.js';

const checkTimeoutMs = 2_000;

/** Routes for orchestrators and Prometheus, on a port apart from that of the clients. */
@Controller()
class ManagementController {
  constructor(
    @Inject(Health) private readonly health: Health,
    @Inject(Registry) private readonly metrics: Registry,
    private readonly checks: HealthCheckService,
    private readonly indicators: HealthIndicatorService,
  ) {}

  @Get('health/live')
  live() {
    return this.answer(this.health.live);
  }

  @Get('health/ready')
  ready() {
    return this.answer(this.health.ready);
  }

  @Get('metrics')
  @Header('content-type', Registry.PROMETHEUS_CONTENT_TYPE)
  scrape(): Promise<string> {
    return this.metrics.metrics();
  }

  private answer(checks: Map<string, HealthCheck>) {
    return this.checks.check(
      [...checks].map(
        ([name, check]) =>
          async () =>
            await this.indicators.check(name).attempt(check).withTimeout(checkTimeoutMs),
      ),
    );
  }
}

@Module({})
class ManagementModule {
  static register(health: Health, metrics: Registry): DynamicModule {
    return {
      module: ManagementModule,
      imports: [TerminusModule.forRoot({ logger: false })],
      controllers: [ManagementController],
      providers: [
        { provide: Health, useValue: health },
        { provide: Registry, useValue: metrics },
      ],
    };
  }
}

export async function startManagementServer(
  config: ServiceConfig,
  health: Health,
  metrics: Registry,
): Promise<Running> {
  const adapter = new FastifyAdapter({ forceCloseConnections: true });
  const app = await NestFactory.create(ManagementModule.register(health, metrics), adapter, { logger: false });
  await app.listen(config.MANAGEMENT_PORT, config.MANAGEMENT_HOST);
  return app;
}

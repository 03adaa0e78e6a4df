import { type DynamicModule, Module } from '@nestjs/common';
import { ClickHouseModule } from '@sluice/clickhouse';
import { Registry, type Service, serviceModule } from '@sluice/service';
import { AdRequestsController } from './ad-requests.controller.js';
import { CanaryKeeper } from './canary/canary-keeper.js';
import { type trackingVariables } from './config.js';
import { SystemController } from './system.controller.js';
import { TrackingController } from './tracking.controller.js';
import { UserAgents } from './user-agents/user-agents.js';
import { Watcher } from './watch/watcher.js';

@Module({})
export class TrackingModule {
  static register(service: Service<typeof trackingVariables>): DynamicModule {
    return {
      module: TrackingModule,
      imports: [serviceModule(service), ClickHouseModule.register(service.config)],
      controllers: [TrackingController, AdRequestsController, SystemController],
      providers: [
        {
          provide: UserAgents,
          useFactory: (registry: Registry) => new UserAgents(service.config, registry),
          inject: [Registry],
        },
        {
          provide: CanaryKeeper,
          useFactory: (registry: Registry) => new CanaryKeeper(service.config, registry),
          inject: [Registry],
        },
        {
          provide: Watcher,
          useFactory: (registry: Registry) => new Watcher(service.config, registry),
          inject: [Registry],
        },
      ],
    };
  }
}

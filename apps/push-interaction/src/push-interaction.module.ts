import { type DynamicModule, Module } from '@nestjs/common';
import { ClickHouseModule } from '@sluice/clickhouse';
import { type Service, serviceModule } from '@sluice/service';
import { type pushInteractionVariables } from './config.js';
import { PushInteractionController } from './push-interaction.controller.js';

@Module({})
export class PushInteractionModule {
  static register(service: Service<typeof pushInteractionVariables>): DynamicModule {
    return {
      module: PushInteractionModule,
      imports: [serviceModule(service), ClickHouseModule.register(service.config)],
      controllers: [PushInteractionController],
    };
  }
}

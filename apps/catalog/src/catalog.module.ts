import { type DynamicModule, Module } from '@nestjs/common';
import { ClickHouseModule } from '@sluice/clickhouse';
import { type Service, serviceModule } from '@sluice/service';
import { CatalogController } from './catalog.controller.js';
import { type catalogVariables } from './config.js';

@Module({})
export class CatalogModule {
  static register(service: Service<typeof catalogVariables>): DynamicModule {
    return {
      module: CatalogModule,
      imports: [serviceModule(service), ClickHouseModule.register(service.config)],
      controllers: [CatalogController],
    };
  }
}

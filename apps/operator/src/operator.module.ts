import { Module } from '@nestjs/common';
import { CanaryModule } from './canary/canary.command.js';
import { CatalogCommandsModule } from './catalog/catalog.module.js';
import { CommandLine } from './command-line.js';
import { ConsoleCommandsModule } from './console/invite.command.js';
import { DeadLettersModule } from './dead-letters/dead-letters.module.js';
import { DoctorModule } from './doctor/doctor.command.js';
import { EventsModule } from './events/events.module.js';
import { GatewaysModule } from './gateways/gateways.module.js';
import { ImportModule } from './import/import.command.js';
import { MigrateModule } from './migrate/migrate.command.js';
import { PlansModule } from './plans/plans.module.js';
import { PrivacyModule } from './privacy/privacy.module.js';
import { PushTokenModule } from './push-token/push-token.module.js';
import { RefusedModule } from './refused/list-refused.command.js';
import { SourcesModule } from './sources/sources.module.js';
import { StatusModule } from './status/status.command.js';
import { TopicsModule } from './topics/topics.module.js';
import { WaitForModule } from './wait-for/wait-for.command.js';
import { WatchModule } from './watch/watch.module.js';

@Module({
  imports: [
    SourcesModule,
    PlansModule,
    CatalogCommandsModule,
    ImportModule,
    DeadLettersModule,
    EventsModule,
    RefusedModule,
    PrivacyModule,
    PushTokenModule,
    MigrateModule,
    StatusModule,
    DoctorModule,
    TopicsModule,
    GatewaysModule,
    WaitForModule,
    WatchModule,
    CanaryModule,
    ConsoleCommandsModule,
  ],
  providers: [CommandLine],
})
export class OperatorModule {}

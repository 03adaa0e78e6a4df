import { Module } from '@nestjs/common';
import { ConnectionModule } from '../connection/connection.module.js';
import { Events } from './events.js';
import { EventsCommand } from './events.command.js';
import { FindEventsCommand } from './find-events.command.js';

@Module({ imports: [ConnectionModule], providers: [Events, EventsCommand, FindEventsCommand] })
export class EventsModule {}

import { Module } from '@nestjs/common';
import { Command } from 'nest-commander';
import { NounCommand } from '../command-line.js';
import { ConnectionModule } from '../connection/connection.module.js';
import { Events } from './events.js';
import { FindEventsCommand } from './find-events.command.js';

@Command({ name: 'events', description: 'The events of a request', subCommands: [FindEventsCommand] })
export class EventsCommand extends NounCommand {}

@Module({ imports: [ConnectionModule], providers: [Events, EventsCommand, FindEventsCommand] })
export class EventsModule {}

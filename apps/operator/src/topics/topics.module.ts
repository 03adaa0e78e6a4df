import { Module } from '@nestjs/common';
import { Command } from 'nest-commander';
import { NounCommand } from '../command-line.js';
import { ConnectionModule } from '../connection/connection.module.js';
import { GrowTopicCommand } from './grow-topic.command.js';

@Command({ name: 'topics', description: 'The topics of the data', subCommands: [GrowTopicCommand] })
export class TopicsCommand extends NounCommand {}

@Module({ imports: [ConnectionModule], providers: [TopicsCommand, GrowTopicCommand] })
export class TopicsModule {}

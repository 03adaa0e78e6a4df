import { Module } from '@nestjs/common';
import { ConnectionModule } from '../connection/connection.module.js';
import { StatusCommand } from './status.command.js';

@Module({ imports: [ConnectionModule], providers: [StatusCommand] })
export class StatusModule {}

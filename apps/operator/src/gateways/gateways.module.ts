import { Module } from '@nestjs/common';
import { Command } from 'nest-commander';
import { NounCommand } from '../command-line.js';
import { ConnectionModule } from '../connection/connection.module.js';
import { WaitForSpoolsCommand } from './wait-for-spools.command.js';

@Command({ name: 'gateways', description: 'The gateways and their disks', subCommands: [WaitForSpoolsCommand] })
export class GatewaysCommand extends NounCommand {}

@Module({ imports: [ConnectionModule], providers: [GatewaysCommand, WaitForSpoolsCommand] })
export class GatewaysModule {}

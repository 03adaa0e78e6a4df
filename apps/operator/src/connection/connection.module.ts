import { Module } from '@nestjs/common';
import { Output } from '../output.js';
import { Connection } from './connection.js';
import { ShellActions } from './shell-actions.js';

/**
 * Provides each command group (the noun in `operator <noun> <verb>`) with the servers' addresses, the record of actions
 * and the output.
 */
@Module({ providers: [Connection, ShellActions, Output], exports: [Connection, ShellActions, Output] })
export class ConnectionModule {}

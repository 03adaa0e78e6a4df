import { Module } from '@nestjs/common';
import { Output } from '../output.js';
import { Connection } from './connection.js';
import { Actions } from './actions.js';

/** Provides every noun with the servers' addresses, the record of actions and the output. */
@Module({ providers: [Connection, Actions, Output], exports: [Connection, Actions, Output] })
export class ConnectionModule {}

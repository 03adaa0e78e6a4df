import { Module } from '@nestjs/common';
import { Output } from '../output.js';
import { Connection } from './connection.js';

/** Provides every noun with the servers' addresses and the output. */
@Module({ providers: [Connection, Output], exports: [Connection, Output] })
export class ConnectionModule {}

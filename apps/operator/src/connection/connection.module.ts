import { Module } from '@nestjs/common';
import { Output } from '../output.js';
import { Connection } from './connection.js';

/** What every noun needs: where the servers are, and a way to answer. */
@Module({ providers: [Connection, Output], exports: [Connection, Output] })
export class ConnectionModule {}

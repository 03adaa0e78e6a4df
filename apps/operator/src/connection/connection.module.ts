import { Module } from '@nestjs/common';
import { Output } from '../output.js';
import { Connection } from './connection.js';
import { Deeds } from './deeds.js';

/** Provides every noun with the servers' addresses, the record of deeds and the output. */
@Module({ providers: [Connection, Deeds, Output], exports: [Connection, Deeds, Output] })
export class ConnectionModule {}

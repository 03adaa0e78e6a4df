import { Injectable } from '@nestjs/common';
import { clickhouseVariables } from '@sluice/clickhouse';
import { kafkaVariables } from '@sluice/kafka';
import { findRequest, type FoundRequest, type RequestId } from '@sluice/operations';
import { Connection } from '../connection/connection.js';

/** Finds the events of a request, with the servers of the command line. */
@Injectable()
export class Events {
  constructor(private readonly connection: Connection) {}

  find(request: RequestId, windowMs?: number): Promise<FoundRequest> {
    const config = this.connection.read({ ...kafkaVariables, ...clickhouseVariables });
    return findRequest(config, request, windowMs === undefined ? {} : { windowMs, isThorough: true });
  }
}

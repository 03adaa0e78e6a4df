import { IncomingMessage, type ServerResponse } from 'node:http';
import { type Socket } from 'node:net';
import { type FastifyRequest } from 'fastify';
import { type RouteRules } from '../intake/accepts.js';
import { type Pipeline } from './pipeline.js';
import { type Place, type RequestTurns } from './request-turns.js';

/** Number of headers beyond which Node drops them. */
export const maxHeaders = 100;

const pipeline = Symbol('pipeline');
export type HttpConnection = Socket & { [pipeline]?: Pipeline };

export const pipelineOf = (socket: HttpConnection): Pipeline | undefined => socket[pipeline];
export const setPipeline = (socket: HttpConnection, its: Pipeline): void => {
  socket[pipeline] = its;
};

/** A request of a pipeline, with its answer and the rules of its route. */
export class PipelinedRequest extends IncomingMessage {
  /** Set when the request is added to its pipeline. */
  declare answer: ServerResponse;
  /** Set when the route is known. */
  declare rules: RouteRules | undefined;
  /** The source whose key the request has shown; set when the key is found valid. */
  declare source: string | undefined;
  /** The queue in which the request waits for the processor; set when it begins to wait. */
  declare place: Place | undefined;
  /** Whether its body is left unread. */
  declare isLeft: boolean | undefined;
  /** Whether the rest of its connection cannot be parsed, so that an error answers it in its place. */
  declare isBroken: boolean | undefined;
  /** The turns that its work waits for; set with its place. */
  declare turns: RequestTurns | undefined;

  /** Runs more of the work on the request in a later turn, unless its client is gone by then. */
  continueIn(run: () => void): void {
    if (this.place) this.turns?.again(this.place, run, this);
  }

  /**
   * Node reads this after the headers of each request, and stops parsing when it is true. It is the only way to leave
   * the rest of 64 KiB of pipelined requests unparsed. `Upgrade` headers are ignored.
   */
  get upgrade(): boolean {
    return this.method === 'CONNECT' || (pipelineOf(this.socket)?.isFull ?? false);
  }

  set upgrade(_byHeaders: boolean) {
    // Ignores the value that Node's parser derives from the headers.
  }

  /** Whether Node may have dropped headers, perhaps even the length of the body. */
  get hasTooManyHeaders(): boolean {
    return this.rawHeaders.length >= 2 * maxHeaders;
  }
}

/** The raw request, in the class that the server creates. */
export const pipelined = ({ raw }: FastifyRequest): PipelinedRequest => raw as PipelinedRequest;

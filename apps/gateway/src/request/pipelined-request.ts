import { IncomingMessage, type ServerResponse } from 'node:http';
import { type Socket } from 'node:net';
import { type Source } from '@sluice/sources';
import { type FastifyRequest } from 'fastify';
import { type RouteRules } from './accepts.js';
import { type WorkOwner, type WorkQueue } from './work-queue.js';

/** Number of headers beyond which Node drops them. */
export const maxHeaders = 100;

const pipelineKey = Symbol('pipeline');
/** A connection, which knows the pipeline of its requests. */
export type PipelinedSocket<P extends Pipelining = Pipelining> = Socket & { [pipelineKey]?: P };

/** Decides whether a connection may send more requests. */
interface Pipelining {
  readonly isFull: boolean;
}

/** Continues work in a later turn. */
interface LaterTurns {
  readonly turnMs: number;
  again(place: WorkQueue, run: () => void, owner?: WorkOwner): void;
}

/** Counts memory that a request needs in addition to its body. */
interface MemoryHolder {
  /** @throws ApiError 503 when there is too little. */
  holdMore(request: PipelinedRequest, bytes: number): void;
}

export const findPipeline = <P extends Pipelining>(socket: PipelinedSocket<P>): P | undefined => socket[pipelineKey];
export const setPipeline = <P extends Pipelining>(socket: PipelinedSocket<P>, pipeline: P): void => {
  socket[pipelineKey] = pipeline;
};

/** A request of a pipeline, with its answer and the rules of its route. */
export class PipelinedRequest extends IncomingMessage {
  /** Set when the request is added to its pipeline. */
  declare answer: ServerResponse;
  /** Set when the route is known. */
  declare rules: RouteRules | undefined;
  /** The source whose key the request has shown; set when the key is found valid. */
  declare source: string | undefined;
  /** The record of that source; set with it. */
  declare sender: Source | undefined;
  /** The queue in which the request waits for the processor; set when it begins to wait. */
  declare place: WorkQueue | undefined;
  /** Whether its body is left unread. */
  declare isLeft: boolean | undefined;
  /** Whether its body cannot be parsed or came too slowly; the error for that is its answer. */
  declare isBroken: boolean | undefined;
  /** Whether its connection is detached from the parser after its headers; set when these are read. */
  declare private isCut: boolean | undefined;
  /** The turns that its work waits for; set with its place. */
  declare turns: LaterTurns | undefined;
  /** Counts the memory of its messages; set with its turns. */
  declare memory: MemoryHolder | undefined;

  /** Time that the work on the request may take in one turn, ms. */
  get turnMs(): number {
    return this.turns?.turnMs ?? 0;
  }

  /** Runs more of the work on the request in a later turn, unless its client is gone by then. */
  continueIn(run: () => void): void {
    if (this.place) this.turns?.again(this.place, run, this);
  }

  /** Counts memory that the request needs until its answer is over. @throws ApiError 503 when there is too little. */
  holdMemory(bytes: number): void {
    this.memory?.holdMore(this, bytes);
  }

  /**
   * Node reads this after the headers of each request, and stops parsing when it is true. It is the only way to leave
   * the rest of 64 KiB of pipelined requests unparsed. `Upgrade` headers are ignored. Node reads it again after each
   * piece of the body: a pipeline that has become full since then must not cut off a request that it has let in.
   */
  get upgrade(): boolean {
    this.isCut ??= this.method === 'CONNECT' || (findPipeline<Pipelining>(this.socket)?.isFull ?? false);
    return this.isCut;
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

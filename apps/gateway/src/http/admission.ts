import { type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { type FastifyRequest } from 'fastify';
import { type GatewayConfig } from '../config.js';
import { refusal } from '../errors/api-error.js';
import { type RouteRules } from './accepts.js';
import { BodyRoom } from './body-room.js';
import { Load } from './load.js';
import { OwedAnswers } from './owed-answers.js';

/** What takes no key never has more of the memory than this part. */
const keylessPart = 1 / 4;

type Limits = Pick<GatewayConfig, 'GATEWAY_MAX_REQUESTS_IN_WORK' | 'GATEWAY_MAX_BODY_BYTES_IN_WORK'>;

/** What the gateway takes upon itself at a time: requests, and memory of their bodies. What is beyond is told at once. */
export class Admission {
  readonly inWork = new OwedAnswers();
  readonly load = new Load(() => this.inWork.size);
  private readonly mostInWork: number;
  private readonly room: BodyRoom;
  private readonly keylessRoom: BodyRoom;
  private readonly end: (this: ServerResponse) => void;

  constructor({ GATEWAY_MAX_REQUESTS_IN_WORK, GATEWAY_MAX_BODY_BYTES_IN_WORK: bytes }: Limits) {
    this.mostInWork = GATEWAY_MAX_REQUESTS_IN_WORK;
    this.keylessRoom = new BodyRoom(bytes * keylessPart);
    this.room = new BodyRoom(bytes * (1 - keylessPart));
    const { inWork, load } = this;
    this.end = function () {
      inWork.delete(this);
      if (this.statusCode !== 503) load.finish();
    };
  }

  /** Takes a place until the answer is sent or the client has broken off. */
  begin(answer: ServerResponse): void {
    this.inWork.add(answer);
    // Comes once for every request, also when the client breaks off; Fastify's onResponse does not.
    answer.on('close', this.end);
  }

  /** @throws ApiError 503 when the request that began last is one too many. */
  assertRoom(): void {
    if (this.inWork.size <= this.mostInWork) return;
    this.load.turnAway();
    throw refusal.unavailable(this.load.retryAfterSeconds());
  }

  /** Takes the memory that the body may need. @throws ApiError 503 when there is not so much. */
  takeBody({ headers }: FastifyRequest, answer: ServerResponse, { credentials, bodyLimit }: RouteRules): void {
    const room = credentials ? this.room : this.keylessRoom;
    // Not counted as turned away: large bodies that find no room say nothing of all the small ones that do.
    if (!room.take(mostBytesOf(headers, bodyLimit), answer)) throw refusal.unavailable(this.load.retryAfterSeconds());
  }

  /** A body that has been read needs what it has, and no longer what it might have had. */
  bodyRead(request: IncomingMessage, bytes: number): void {
    this.room.giveBack(request, bytes);
    this.keylessRoom.giveBack(request, bytes);
  }
}

/** As it says; where it says nothing, or is yet to be inflated, as much as its route allows. */
function mostBytesOf(headers: IncomingHttpHeaders, bodyLimit: number): number {
  const declared = Number(headers['content-length'] ?? 0);
  if (headers['content-encoding'] !== undefined) return declared + bodyLimit;
  return headers['transfer-encoding'] === undefined ? declared : bodyLimit;
}

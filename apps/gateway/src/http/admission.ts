import { type ServerResponse } from 'node:http';
import { type GatewayConfig } from '../config.js';
import { refusal } from '../errors/api-error.js';
import { BodyRoom } from './body-room.js';
import { Load } from './load.js';
import { OwedAnswers } from './owed-answers.js';
import { watchUnreadAnswers } from './unread-answers.js';

/** Largest share of the memory for requests without a key. */
const keylessPart = 1 / 4;

const hasPlace = Symbol('hasPlace');
type Placed = ServerResponse & { [hasPlace]?: true };

type Limits = Pick<GatewayConfig, 'GATEWAY_MAX_REQUESTS_IN_WORK' | 'GATEWAY_MAX_BODY_BYTES_IN_WORK'>;

/** Bounds what the gateway takes on at a time: requests, and memory of their bodies. Beyond, it refuses at once. */
export class Admission {
  /** Answers of all requests that have begun, including those whose body is still being read. */
  readonly owed = new OwedAnswers();
  readonly load = new Load(() => this.inWork);
  private readonly mostInWork: number;
  private readonly room: BodyRoom;
  private readonly keylessRoom: BodyRoom;
  private readonly end: (this: Placed) => void;
  private placesTaken = 0;

  constructor({ GATEWAY_MAX_REQUESTS_IN_WORK, GATEWAY_MAX_BODY_BYTES_IN_WORK: bytes }: Limits) {
    this.mostInWork = GATEWAY_MAX_REQUESTS_IN_WORK;
    this.keylessRoom = new BodyRoom(bytes * keylessPart);
    this.room = new BodyRoom(bytes * (1 - keylessPart));
    const giveBack = (answer: Placed): void => {
      this.owed.delete(answer);
      if (!answer[hasPlace]) return;
      this.placesTaken -= 1;
      if (answer.statusCode !== 503) this.load.finish();
    };
    this.end = function () {
      giveBack(this);
    };
    watchUnreadAnswers(this.owed);
  }

  /** Number of requests that have a place. */
  get inWork(): number {
    return this.placesTaken;
  }

  /** Counts an answer as owed until it is sent or the client has broken off. */
  begin(answer: ServerResponse): void {
    this.owed.add(answer);
    // Comes once for every request, also when the client breaks off; Fastify's onResponse does not.
    answer.on('close', this.end);
  }

  /** @throws ApiError 503 when no place is free. Asked before a body is read, which needs no place itself. */
  assertRoom(): void {
    if (this.placesTaken < this.mostInWork) return;
    this.load.turnAway();
    throw refusal.unavailable(this.load.retryAfterSeconds());
  }

  isPlaced(answer: Placed): boolean {
    return answer[hasPlace] === true;
  }

  /** Takes a place until the answer is over: the request is whole, and work on it begins. @throws ApiError 503 */
  takePlace(answer: Placed): void {
    this.assertRoom();
    this.placesTaken += 1;
    answer[hasPlace] = true;
  }

  /** Sets the memory that a body holds until its answer is over. False when there is too little. */
  hold(answer: ServerResponse, bytes: number, hasKey: boolean, giveUp?: () => void): boolean {
    return (hasKey ? this.room : this.keylessRoom).hold(answer, bytes, giveUp);
  }
}

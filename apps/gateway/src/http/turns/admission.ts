import { type ServerResponse } from 'node:http';
import { type GatewayConfig } from '../../config.js';
import { type ApiError, httpError } from '../../errors/api-error.js';
import { BodyRoom } from '../reading/body-room.js';
import { RequestLoad } from './load.js';
import { OwedAnswers } from '../answering/owed-answers.js';
import { SourceParts } from '../../limits/source-parts.js';
import { watchUnreadAnswers } from '../answering/unread-answers.js';

/** Share of the memory that requests without a key may use at most. */
const keylessPart = 1 / 4;

const countingLoad = Symbol('load');
/** An answer that has a place refers to the load that counts it, and to its source. */
type PlacedAnswer = ServerResponse & { [countingLoad]?: RequestLoad; source?: string | undefined };

type Limits = Pick<
  GatewayConfig,
  'GATEWAY_MAX_REQUESTS_IN_WORK' | 'KEYLESS_MAX_REQUESTS_IN_WORK' | 'GATEWAY_MAX_BODY_BYTES_IN_WORK'
>;

/** Bounds the requests in work and the memory of their bodies; further requests are refused. */
export class Admission {
  /** Answers of all requests that have begun, including those whose body is still being read. */
  readonly owed = new OwedAnswers();
  /** Load of requests with a key. Requests without a key must not make the gateway look overloaded. */
  readonly load = new RequestLoad(() => this.inWork);
  private readonly keylessLoad = new RequestLoad(() => this.keylessInWork);
  private readonly maxInWork: number;
  private readonly maxKeyless: number;
  private readonly room: BodyRoom;
  private readonly keylessRoom: BodyRoom;
  private readonly places = new SourceParts();
  private readonly end: (this: PlacedAnswer) => void;
  private takenPlaces = 0;
  private keylessInWork = 0;

  constructor(limits: Limits) {
    this.maxInWork = limits.GATEWAY_MAX_REQUESTS_IN_WORK;
    this.maxKeyless = limits.KEYLESS_MAX_REQUESTS_IN_WORK;
    const bytes = limits.GATEWAY_MAX_BODY_BYTES_IN_WORK;
    this.keylessRoom = new BodyRoom(bytes * keylessPart);
    this.room = new BodyRoom(bytes * (1 - keylessPart));
    const givePlaceBack = (answer: PlacedAnswer): void => {
      this.owed.delete(answer);
      const load = answer[countingLoad];
      if (load === undefined) return;
      this.takenPlaces -= 1;
      this.places.add(answer.source, -1);
      if (load === this.keylessLoad) this.keylessInWork -= 1;
      if (answer.statusCode !== 503) load.finish();
    };
    this.end = function () {
      givePlaceBack(this);
    };
    watchUnreadAnswers(this.owed);
  }

  /** Number of requests that have a place. */
  get inWork(): number {
    return this.takenPlaces;
  }

  /** Counts an answer as owed until it is sent or the client has disconnected. */
  begin(answer: ServerResponse): void {
    this.owed.add(answer);
    // Emitted once for every request, also when the client disconnects; Fastify's onResponse is not.
    answer.on('close', this.end);
  }

  /** Called before a body is read; reading it needs no place itself. @throws ApiError 503 when no place is free. */
  assertRoom(hasKey: boolean): void {
    if (this.takenPlaces < this.maxInWork && (hasKey || this.keylessInWork < this.maxKeyless)) return;
    throw this.reject(hasKey, false);
  }

  /** @throws ApiError 503 when the source has its part of the places already. */
  assertPart(source: string): void {
    if (this.arePlacesSpentBy(source)) throw this.reject(true, true);
  }

  isPlaced(answer: PlacedAnswer): boolean {
    return answer[countingLoad] !== undefined;
  }

  /**
   * Takes a place until the answer is over. Called when the request is complete and work on it begins.
   * @param source undefined without a key
   * @throws ApiError 503
   */
  takePlace(answer: PlacedAnswer, source: string | undefined): void {
    const hasKey = source !== undefined;
    this.assertRoom(hasKey);
    if (hasKey) this.assertPart(source);
    this.takenPlaces += 1;
    this.places.add(source, 1);
    if (source === undefined) this.keylessInWork += 1;
    answer.source = source;
    answer[countingLoad] = this.chooseLoad(hasKey);
  }

  /**
   * Counts a request that lacks a place, memory or time, and returns its error, which says when to retry.
   * @param isOwnFault whether the source has used up its own part, which says nothing about the load of the gateway
   */
  reject(hasKey: boolean, isOwnFault: boolean): ApiError {
    const load = this.chooseLoad(hasKey);
    load.reject(isOwnFault);
    return httpError.unavailable(load.retryAfterSeconds());
  }

  /** Sets the memory that a body holds until its answer is over. Returns false when there is too little. */
  hold(answer: ServerResponse, bytes: number, source: string | undefined, giveUp?: () => void): boolean {
    return this.chooseRoom(source).hold(answer, bytes, source, giveUp);
  }

  /** Adds memory that a request holds until its answer is over. Returns false when there is too little. */
  holdMore(answer: ServerResponse, moreBytes: number, source: string | undefined): boolean {
    return this.chooseRoom(source).holdMore(answer, moreBytes, source);
  }

  /** Whether the source has used up its own part of the memory or of the places. */
  isSpentBy(source: string | undefined): boolean {
    return this.arePlacesSpentBy(source) || this.chooseRoom(source).isSpentBy(source);
  }

  private arePlacesSpentBy(source: string | undefined): boolean {
    return this.places.isSpentBy(source, 1, this.takenPlaces, this.maxInWork);
  }

  private chooseRoom(source: string | undefined): BodyRoom {
    return source === undefined ? this.keylessRoom : this.room;
  }

  private chooseLoad(hasKey: boolean): RequestLoad {
    return hasKey ? this.load : this.keylessLoad;
  }
}

import { acceptsOrigin, hasPublicKey } from '@sluice/sources';
import { type FastifyInstance, type FastifyReply, type FastifyRequest, type RouteOptions } from 'fastify';
import { type Credentials } from '../auth/credentials.js';
import { type GatewayConfig } from '../config.js';
import { ApiError, httpError } from '../errors/api-error.js';
import { type SourceLimiter } from '../limits/source-limiter.js';
import { shareRate } from '../workers/shared-rate.js';
import { type RouteRules, readRules, type SourceRules } from '../request/accepts.js';
import { type Admission } from './turns/admission.js';
import { assertReadable, takeBodiesAsBytes } from './reading/body.js';
import { smallBodyBytes } from './reading/body-room.js';
import { hasBody, leaveBody } from './reading/closing.js';
import { preflightHeaders } from './answering/fixed-headers.js';
import { HealthChecks } from './turns/health-checks.js';
import { healthPath } from './connections/http-server.js';
import { KeylessRate } from './turns/keyless-rate.js';
import { pipelined, type PipelinedRequest } from '../request/pipelined-request.js';
import { type Routes } from './routes.js';
import { markKnown } from './connections/strangers.js';
import { type SourceTimes } from '../limits/source-times.js';
import { isValidHead } from './reading/request-head.js';
import { type WorkQueue } from '../request/work-queue.js';
import { RequestTurns } from './turns/request-turns.js';

const preflightPaths = ['/api/*', '/s/*', '/v1/*', '/projects/*', '/sourceConfig', '/sourceConfig/'];
/** Size above which a body keeps the process busy for milliseconds. */
const largeBodyBytes = 65_536;

/** Queues of keyless work: floods of one kind do not delay the others. */
const keylessQueues = { health: '/health', routes: '/routes', refused: '/refused' };

interface Parts {
  admission: Admission;
  credentials: Credentials;
  routes: Routes;
  limits: SourceLimiter;
  times: SourceTimes;
}

/** Makes every check that needs no body, in the order of docs/api.md#order-of-checks. */
export class Edge {
  private readonly keylessRate: KeylessRate;
  private readonly turns: RequestTurns;
  private readonly healthChecks = new HealthChecks();
  private readonly admission: Admission;

  constructor(
    config: GatewayConfig,
    private readonly parts: Parts,
  ) {
    this.admission = parts.admission;
    this.keylessRate = new KeylessRate(config);
    this.turns = new RequestTurns({
      onDone: (place, ms, waitedMs) => {
        if (place.share !== 'keyless') parts.times.add(place.source, ms, waitedMs, place.isSmallBody ?? false);
      },
    });
    shareRate('source', parts.limits.rate);
  }

  /** Guards all routes that are added from now on. */
  guard(fastify: FastifyInstance): void {
    takeBodiesAsBytes(fastify, {
      holdMemory: (request, bytes, giveUp) => {
        const { answer, source } = pipelined(request);
        return this.admission.hold(answer, bytes, source, giveUp);
      },
      rejectForMemory: (request) => this.reject(pipelined(request)),
      admitBody: (request, body, go) => this.passBody(request, body?.length ?? 0, go),
      answerRefusal: (request, refused, go) => this.answerInTurn(pipelined(request), () => go(refused)),
      leaveUnread: (request) => leaveBody(pipelined(request)),
    });
    fastify.addHook('onRoute', (route) => this.register(route));
    fastify.addHook('onRequest', (request, reply, done) => this.begin(request, reply, done));
  }

  /** Called for each new connection. */
  connected(): void {
    this.turns.connected();
  }

  /** Makes an answer without a route, or without a request, wait for its turn. */
  refuse(send: () => void): void {
    this.turns.take({ share: 'keyless', source: keylessQueues.refused }, send, send);
  }

  /**
   * Refuses a path that Fastify cannot route: one with broken escapes. On a route with a source, the source counts as
   * not found. Calls `send` with the error when the request has its turn.
   */
  refuseBadPath(request: FastifyRequest, send: (refused: ApiError) => void): void {
    const raw = pipelined(request);
    leaveBody(raw);
    const refused = catchHttpError(() => assertHead(raw)) ?? this.badPathError(request);
    this.answerInTurn(raw, () => send(refused));
  }

  private badPathError({ method, url, headers }: FastifyRequest): ApiError {
    const { credentials, routes } = this.parts;
    if (!routes.find(method, url)?.rules?.credentials) return httpError.malformed();
    return (
      catchHttpError(() => {
        credentials.assert(headers.authorization, '');
      }) ?? httpError.sourceNotFound()
    );
  }

  private begin(request: FastifyRequest, reply: FastifyReply, done: (refused?: ApiError) => void): void {
    void reply.header('x-request-id', request.id);
    const rules = readRules(request.routeOptions);
    const raw = pipelined(request);
    raw.rules = rules;
    // Requests without a key must not keep connections: all clients share a bounded number of them.
    if (rules?.credentials === false) raw.answer.shouldKeepAlive = false;
    const refused = catchHttpError(() => this.admit(request, rules));
    if (refused === undefined && rules !== undefined && request.method === 'POST' && hasBody(raw)) {
      if (request.headers.expect !== undefined) raw.answer.writeContinue();
      done();
      return;
    }
    leaveBody(raw);
    const isHealthCheck = request.routeOptions.url === healthPath;
    if (isHealthCheck && refused === undefined && this.healthChecks.isFree()) {
      done();
      return;
    }
    raw.place = chooseQueue(raw, refused === undefined, isHealthCheck);
    this.inTurn(
      raw,
      () => done(refused ?? this.claimPlace(raw)),
      () => done(refused ?? this.reject(raw)),
    );
  }

  /** Checks the head of a request. @throws ApiError */
  private admit(request: FastifyRequest, rules: RouteRules | undefined): void {
    assertHead(pipelined(request));
    if (rules === undefined) {
      // No body is read for a path that does not exist.
      if (request.is404) throw this.parts.routes.missingRouteError(request.url);
      return;
    }
    this.admission.assertRoom(rules.credentials);
    if (rules.credentials) this.assertSource(request, rules);
    else this.keylessRate.assert();
    assertReadable(request, rules);
  }

  /** Makes a request whose body has been read wait for its turn, then take a place. */
  private passBody(request: FastifyRequest, bytes: number, go: (refused: ApiError | null) => void): void {
    const raw = pipelined(request);
    const { answer, source } = raw;
    raw.place = this.chooseBodyQueue(source, bytes);
    if (this.admission.hold(answer, bytes > smallBodyBytes ? bytes : 0, source)) {
      this.inTurn(
        raw,
        () => go(this.claimPlace(raw) ?? null),
        () => go(this.reject(raw)),
      );
      return;
    }
    const refused = this.reject(raw);
    this.answerInTurn(raw, () => go(refused));
  }

  private chooseBodyQueue(source: string | undefined, bytes: number): WorkQueue {
    if (source === undefined) return { share: 'keyless', source: keylessQueues.routes };
    const isSmallBody = bytes <= largeBodyBytes;
    const share = isSmallBody && !this.parts.times.isCostly(source) ? 'small' : 'large';
    return { share, source, isSmallBody };
  }

  /** Takes the place that work on the request needs; returns an error when there is none. */
  private claimPlace({ answer, rules, source }: PipelinedRequest): ApiError | undefined {
    return catchHttpError(() => {
      // An empty body with a content type comes here twice: Fastify reads it after the place was taken.
      if (rules === undefined || this.admission.isPlaced(answer)) return;
      this.admission.takePlace(answer, source);
    });
  }

  /** Counts a request that lacks a place, memory or time, and returns its error. */
  private reject({ source, place }: PipelinedRequest): ApiError {
    const isOwnFault =
      source !== undefined && (this.admission.isSpentBy(source) || (place && !this.turns.areOthersLate(place)));
    return this.admission.reject(source !== undefined, isOwnFault ?? false);
  }

  /** Runs `work` when the request has its turn; `refuse` if older work of its source has waited for too long. */
  private inTurn(raw: PipelinedRequest, work: () => void, refuse: () => void): void {
    raw.place ??= chooseQueue(raw, false, false);
    raw.turns = this.turns;
    raw.memory = this;
    this.turns.take(raw.place, work, refuse, raw);
  }

  /** Counts memory that a request needs in addition to its body. @throws ApiError 503 when there is too little. */
  holdMore(raw: PipelinedRequest, bytes: number): void {
    if (!this.admission.holdMore(raw.answer, bytes, raw.source)) throw this.reject(raw);
  }

  private answerInTurn(raw: PipelinedRequest, answer: () => void): void {
    this.inTurn(raw, answer, answer);
  }

  private register(route: RouteOptions): void {
    const rules = readRules(route);
    if (rules) route.bodyLimit = rules.bodyLimit;
    // The preflight routes match every path, so they say nothing about which paths exist.
    if (preflightPaths.includes(route.url)) return;
    for (const method of [route.method].flat()) this.parts.routes.add({ path: route.url, method, rules });
  }

  private assertSource(
    { headers, params, raw: message }: FastifyRequest,
    { serversOnly, quotas, isSegment = false }: SourceRules,
  ): void {
    const raw = message as PipelinedRequest;
    const { credentials } = this.parts;
    const { sourceIdentifier: sourceInPath = '', writeKey } = params as {
      sourceIdentifier?: string;
      writeKey?: string;
    };
    const source = isSegment
      ? credentials.assertWriteKey(headers.authorization, writeKey)
      : credentials.assert(headers.authorization, sourceInPath);
    const { sourceIdentifier } = source;
    raw.source = sourceIdentifier;
    raw.sender = source;
    this.admission.assertPart(sourceIdentifier);
    if (!acceptsOrigin(source, headers.origin)) throw httpError.originForbidden();
    if (serversOnly && hasPublicKey(source)) throw httpError.sourceForbidden();
    this.parts.limits.assert(source, quotas);
    markKnown(raw.socket, sourceIdentifier);
  }
}

/** The queue of a request without a body, or with one that is not read. */
function chooseQueue({ source, rules }: PipelinedRequest, isAdmitted: boolean, isHealthCheck: boolean): WorkQueue {
  if (source !== undefined) return { share: 'small', source };
  const { health, routes, refused } = keylessQueues;
  if (isHealthCheck) return { share: 'keyless', source: health };
  return { share: 'keyless', source: isAdmitted && rules !== undefined ? routes : refused };
}

/** @throws ApiError 400, 417, 431 */
function assertHead(raw: PipelinedRequest): void {
  if (raw.hasTooManyHeaders) throw httpError.headersTooLarge();
  if (!isValidHead(raw)) {
    // It is uncertain where the next request begins.
    raw.answer.shouldKeepAlive = false;
    throw httpError.malformed();
  }
  const { expect } = raw.headers;
  if (expect !== undefined && expect.toLowerCase() !== '100-continue') throw httpError.expectationFailed();
}

/** Answers preflights for every path of the API, before Fastify would read a body. */
export function answerPreflight(fastify: FastifyInstance): void {
  const answer = (_request: unknown, reply: FastifyReply): void => {
    void reply.code(204).headers(preflightHeaders).send();
  };
  for (const path of preflightPaths) fastify.options(path, { onRequest: answer }, answer);
}

/** Returns the error that a check throws, because Fastify's hooks take it as a value. */
function catchHttpError(check: () => void): ApiError | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}

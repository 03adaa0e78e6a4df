import { acceptsOrigin, hasPublicKey } from '@sluice/sources';
import { type FastifyInstance, type FastifyReply, type FastifyRequest, type RouteOptions } from 'fastify';
import { type Credentials } from '../auth/credentials.js';
import { type GatewayConfig } from '../config.js';
import { ApiError, httpError } from '../errors/api-error.js';
import { type SourceLimiter } from '../limits/source-limiter.js';
import { shareRate } from '../workers/shared-rate.js';
import { type RouteRules, rulesOf, type SourceRules } from './accepts.js';
import { type Admission } from './admission.js';
import { assertReadable, takeBodiesAsBytes } from './body.js';
import { smallBodyBytes } from './body-room.js';
import { hasBody, leaveBody } from './closing.js';
import { preflightHeaders } from './fixed-headers.js';
import { KeylessRate } from './keyless-rate.js';
import { pipelined, type PipelinedRequest } from './pipelined-request.js';
import { type Routes } from './routes.js';
import { noStranger } from './strangers.js';
import { type Share, RequestTurns } from './request-turns.js';

const preflightPath = '/api/*';
const healthPath = '/health/ready';
/** Size above which a body keeps the process busy for milliseconds. */
const largeBodyBytes = 65_536;

/** Makes every check that needs no body, in the order of docs/api.md#order-of-checks. */
export class Edge {
  private readonly keylessRate: KeylessRate;
  private readonly turns = new RequestTurns();

  constructor(
    config: GatewayConfig,
    private readonly admission: Admission,
    private readonly credentials: Credentials,
    private readonly routes: Routes,
    private readonly limits: SourceLimiter,
  ) {
    this.keylessRate = new KeylessRate(config);
    shareRate('source', limits.rate);
  }

  /** Guards all routes that are added from now on. */
  guard(fastify: FastifyInstance): void {
    takeBodiesAsBytes(fastify, {
      hold: (request, bytes, giveUp) => {
        const { answer, rules } = pipelined(request);
        return this.admission.hold(answer, bytes, rules?.credentials === true, giveUp);
      },
      turnAway: (request) => this.turnAway(pipelined(request)),
      pass: (request, body, go) => {
        this.passBody(request, body?.length ?? 0, go);
      },
      leave: (request) => {
        leaveBody(pipelined(request));
      },
    });
    fastify.addHook('onRoute', (route) => {
      this.register(route);
    });
    fastify.addHook('onRequest', (request, reply, done) => {
      this.begin(request, reply, done);
    });
  }

  /** Called for each new connection. */
  connected(): void {
    this.turns.connected();
  }

  /** The error of a path with broken escapes; on a route with a source, the source counts as not found. */
  httpErrorOfBadPath({ method, url, headers }: FastifyRequest): ApiError {
    if (!this.routes.find(method, url)?.rules?.credentials) return httpError.malformed();
    return (
      httpErrorBy(() => {
        this.credentials.assert(headers.authorization, '');
      }) ?? httpError.sourceNotFound()
    );
  }

  private begin(request: FastifyRequest, reply: FastifyReply, done: (refused?: ApiError) => void): void {
    this.admission.begin(reply.raw);
    void reply.header('x-request-id', request.id);
    const { routeOptions } = request;
    const rules = rulesOf(routeOptions);
    const raw = pipelined(request);
    raw.rules = rules;
    // Requests without a key must not keep connections: all clients share a bounded number of them.
    if (rules?.credentials === false) raw.answer.shouldKeepAlive = false;
    const refused = httpErrorBy(() => {
      this.admit(request, rules);
    });
    if (refused === undefined && rules !== undefined && request.method === 'POST' && hasBody(raw)) {
      if (request.headers.expect !== undefined) raw.answer.writeContinue();
      done();
      return;
    }
    leaveBody(raw);
    const goOn = (): void => {
      done(refused ?? this.placeFor(raw));
    };
    const share = refused === undefined && rules?.credentials ? 'small' : 'keyless';
    // Health checks do not wait for a turn: they matter most under overload.
    if (routeOptions.url === healthPath) goOn();
    else if (!this.inTurn(share, raw, goOn)) done(refused ?? this.turnAway(raw));
  }

  /** Checks the head of a request. @throws ApiError */
  private admit(request: FastifyRequest, rules: RouteRules | undefined): void {
    const { hasTooManyHeaders, headers } = pipelined(request);
    if (hasTooManyHeaders) throw httpError.headersTooLarge();
    if (headers.expect !== undefined && headers.expect.toLowerCase() !== '100-continue')
      throw httpError.expectationFailed();
    if (rules === undefined) {
      // No body is read for a path that does not exist.
      if (request.is404) throw this.routes.httpErrorOf(request.url);
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
    const { answer, rules } = raw;
    if (rules === undefined) return;
    if (!this.admission.hold(answer, bytes > smallBodyBytes ? bytes : 0, rules.credentials)) {
      go(this.turnAway(raw));
      return;
    }
    const share: Share = !rules.credentials ? 'keyless' : bytes > largeBodyBytes ? 'large' : 'small';
    const isTaken = this.inTurn(share, raw, () => {
      go(this.placeFor(raw) ?? null);
    });
    if (!isTaken) go(this.turnAway(raw));
  }

  /** Takes the place that work on the request needs; returns an error when there is none. */
  private placeFor({ answer, rules }: PipelinedRequest): ApiError | undefined {
    return httpErrorBy(() => {
      // An empty body with a content type comes here twice: Fastify reads it after the place was taken.
      if (rules === undefined || this.admission.isPlaced(answer)) return;
      this.admission.takePlace(answer, rules.credentials);
    });
  }

  /** Counts a request that lacks a place, memory or time, and returns its error. */
  private turnAway({ rules }: PipelinedRequest): ApiError {
    return this.admission.turnAway(rules?.credentials === true);
  }

  private inTurn(share: Share, { socket }: PipelinedRequest, work: () => void): boolean {
    return this.turns.take(share, () => {
      // The client has disconnected: skip.
      if (!socket.destroyed) work();
    });
  }

  private register(route: RouteOptions): void {
    const rules = rulesOf(route);
    if (rules) route.bodyLimit = rules.bodyLimit;
    // The preflight route matches every path, so it says nothing about which paths exist.
    if (route.url === preflightPath) return;
    for (const method of [route.method].flat()) this.routes.add({ path: route.url, method, rules });
  }

  private assertSource({ headers, params, raw }: FastifyRequest, { serversOnly }: SourceRules): void {
    const { sourceIdentifier = '' } = params as { sourceIdentifier?: string };
    const source = this.credentials.assert(headers.authorization, sourceIdentifier);
    noStranger(raw.socket);
    if (!acceptsOrigin(source, headers.origin)) throw httpError.originForbidden();
    if (serversOnly && hasPublicKey(source)) throw httpError.sourceForbidden();
    this.limits.assert(source);
  }
}

/** Answers preflights for every path of the API, before Fastify would read a body. */
export function answerPreflight(fastify: FastifyInstance): void {
  const answer = (_request: unknown, reply: FastifyReply): void => {
    void reply.code(204).headers(preflightHeaders).send();
  };
  fastify.options(preflightPath, { onRequest: answer }, answer);
}

/** Returns the error that a check throws, because Fastify's hooks take it as a value. */
function httpErrorBy(check: () => void): ApiError | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}

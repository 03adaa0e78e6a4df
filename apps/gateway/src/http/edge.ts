import { acceptsOrigin, hasPublicKey } from '@sluice/sources';
import { type FastifyInstance, type FastifyReply, type FastifyRequest, type RouteOptions } from 'fastify';
import { type Credentials } from '../auth/credentials.js';
import { type GatewayConfig } from '../config.js';
import { ApiError, refusal } from '../errors/api-error.js';
import { type SourceLimits } from '../limits/source-limits.js';
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
import { type Share, Turns } from './turns.js';

const preflightPath = '/api/*';
const healthPath = '/health/ready';
/** Size above which a body keeps the process busy for milliseconds. */
const largeBodyBytes = 65_536;

/** Decides everything that needs no body, in the order of docs/api.md#order-of-checks. */
export class Edge {
  private readonly keylessRate: KeylessRate;
  private readonly turns = new Turns();

  constructor(
    config: GatewayConfig,
    private readonly admission: Admission,
    private readonly credentials: Credentials,
    private readonly routes: Routes,
    private readonly limits: SourceLimits,
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

  /** Told of each new connection. */
  connected(): void {
    this.turns.connected();
  }

  /** The refusal of a path whose escapes are broken; in the place of a source they make it a malformed one. */
  refusalOfBadPath({ method, url, headers }: FastifyRequest): ApiError {
    if (!this.routes.find(method, url)?.rules?.credentials) return refusal.malformed();
    return (
      refusalBy(() => {
        this.credentials.assert(headers.authorization, '');
      }) ?? refusal.sourceNotFound()
    );
  }

  private begin(request: FastifyRequest, reply: FastifyReply, done: (refused?: ApiError) => void): void {
    this.admission.begin(reply.raw);
    void reply.header('x-request-id', request.id);
    const { routeOptions } = request;
    const rules = rulesOf(routeOptions);
    const raw = pipelined(request);
    raw.rules = rules;
    // Requests without a key must not keep connections: their number is bounded for all together.
    if (rules?.credentials === false) raw.answer.shouldKeepAlive = false;
    const refused = refusalBy(() => {
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
    // Health is answered out of turn: it matters most under overload.
    if (routeOptions.url === healthPath) goOn();
    else if (!this.inTurn(share, raw, goOn)) done(refused ?? this.turnAway(raw));
  }

  /** Checks the head of a request. @throws ApiError when it is refused. */
  private admit(request: FastifyRequest, rules: RouteRules | undefined): void {
    const { hasTooManyHeaders, headers } = pipelined(request);
    if (hasTooManyHeaders) throw refusal.headersTooLarge();
    if (headers.expect !== undefined && headers.expect.toLowerCase() !== '100-continue')
      throw refusal.expectationFailed();
    if (rules === undefined) {
      // No body is read for a path that does not exist.
      if (request.is404) throw this.routes.refusalOf(request.url);
      return;
    }
    this.admission.assertRoom(rules.credentials);
    if (rules.credentials) this.assertSource(request, rules);
    else this.keylessRate.assert();
    assertReadable(request, rules);
  }

  /** A body that has been read waits for its turn, and for a place from then on. */
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

  /** Takes the place that work on the request needs; undefined when there is one, or none is needed. */
  private placeFor({ answer, rules }: PipelinedRequest): ApiError | undefined {
    return refusalBy(() => {
      // Fastify reads an empty body when a type is named, after the place was taken.
      if (rules === undefined || this.admission.isPlaced(answer)) return;
      this.admission.takePlace(answer, rules.credentials);
    });
  }

  /** The refusal of a request for which there is no place, memory or time. */
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
    // Preflight is answered for every path, known or not; it is no route of one.
    if (route.url === preflightPath) return;
    for (const method of [route.method].flat()) this.routes.add({ path: route.url, method, rules });
  }

  private assertSource({ headers, params, raw }: FastifyRequest, { serversOnly }: SourceRules): void {
    const { sourceIdentifier = '' } = params as { sourceIdentifier?: string };
    const source = this.credentials.assert(headers.authorization, sourceIdentifier);
    noStranger(raw.socket);
    if (!acceptsOrigin(source, headers.origin)) throw refusal.originForbidden();
    if (serversOnly && hasPublicKey(source)) throw refusal.sourceForbidden();
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

/** The refusal that a check throws, as the value that Fastify's hooks take. */
function refusalBy(check: () => void): ApiError | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}

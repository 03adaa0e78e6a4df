import { hasPublicKey } from '@sluice/sources';
import { type FastifyInstance, type FastifyReply, type FastifyRequest, type RouteOptions } from 'fastify';
import { type Credentials } from '../auth/credentials.js';
import { type GatewayConfig } from '../config.js';
import { ApiError, refusal } from '../errors/api-error.js';
import { type SourceLimits } from '../limits/source-limits.js';
import { shareRate } from '../workers/shared-rate.js';
import { rulesOf, type SourceRules } from './accepts.js';
import { type Admission } from './admission.js';
import { assertReadable, takeBodiesAsBytes } from './body.js';
import { smallBodyBytes } from './body-room.js';
import { preflightHeaders } from './fixed-headers.js';
import { KeylessBudget } from './keyless-budget.js';
import { type Routes } from './routes.js';
import { Turns } from './turns.js';

const preflightPath = '/api/*';
/** Larger ones keep the process busy for milliseconds: they wait for their turn. */
const turnBodyBytes = 65_536;

/** Everything that is decided before a body is read, in the order of design §2. */
export class Edge {
  private readonly keyless: KeylessBudget;
  private readonly turns = new Turns();

  constructor(
    config: GatewayConfig,
    private readonly admission: Admission,
    private readonly credentials: Credentials,
    private readonly routes: Routes,
    private readonly limits: SourceLimits,
  ) {
    this.keyless = new KeylessBudget(config, admission.load);
    shareRate('source', limits.rate);
  }

  /** Of all routes that are added to it from now on. */
  guard(fastify: FastifyInstance): void {
    takeBodiesAsBytes(fastify, (request, body, go) => {
      this.goInTurn(request, body, go);
    });
    fastify.addHook('onRoute', (route) => {
      this.register(route);
    });
    fastify.addHook('onRequest', (request, reply, done) => {
      this.admission.begin(reply.raw);
      done(this.admit(request, reply));
    });
  }

  /** Of a path whose escapes are broken: in the place of a source they make it a malformed one. */
  refusalOfBadPath({ method, url, headers }: FastifyRequest): ApiError {
    if (!this.routes.find(method, url)?.rules?.credentials) return refusal.malformed();
    return (
      refusalBy(() => {
        this.credentials.assert(headers.authorization, '');
      }) ?? refusal.sourceNotFound()
    );
  }

  private goInTurn(request: FastifyRequest, body: Buffer, go: (refusal?: ApiError) => void): void {
    if (body.length > smallBodyBytes) this.admission.bodyRead(request.raw, body.length);
    if (body.length <= turnBodyBytes) {
      this.turns.others();
      go();
      return;
    }
    const isTaken = this.turns.take(() => {
      // Who is gone was told nothing, and needs no work.
      if (!request.raw.socket.destroyed) go();
    });
    if (!isTaken) go(refusal.unavailable(Math.ceil(this.turns.waitMs / 1_000)));
  }

  private register(route: RouteOptions): void {
    const rules = rulesOf(route);
    if (rules) route.bodyLimit = rules.bodyLimit;
    // Preflight is answered for every path, known or not; it is no route of one.
    if (route.url === preflightPath) return;
    for (const method of [route.method].flat()) this.routes.add({ path: route.url, method, rules });
  }

  /** Why the request goes no further, or undefined. */
  private admit(request: FastifyRequest, reply: FastifyReply): ApiError | undefined {
    void reply.header('x-request-id', request.id);
    const rules = rulesOf(request.routeOptions);
    if (rules?.credentials === false) this.takeKeyless(reply);
    return refusalBy(() => {
      // Health is asked, above all, when there is no room.
      if (!rules && !request.is404) return;
      this.admission.assertRoom();
      // Nobody's body is read for a path that does not exist.
      if (!rules) throw this.routes.refusalOf(request.url);
      if (rules.credentials) this.assertSource(request, rules);
      else this.keyless.assertRoom();
      assertReadable(request, rules.bodyLimit);
      this.admission.takeBody(request, reply.raw, rules);
    });
  }

  /** What takes no key must not keep connections either: their number is bounded for all together. */
  private takeKeyless(reply: FastifyReply): void {
    this.keyless.begin(reply.raw);
    void reply.header('connection', 'close');
  }

  private assertSource({ headers, params }: FastifyRequest, { serversOnly }: SourceRules): void {
    const { sourceIdentifier = '' } = params as { sourceIdentifier?: string };
    const source = this.credentials.assert(headers.authorization, sourceIdentifier);
    if (serversOnly && hasPublicKey(source)) throw refusal.sourceForbidden();
    this.limits.assert(source);
  }
}

/** For every path of the API. */
export function answerPreflight(fastify: FastifyInstance): void {
  fastify.options(preflightPath, (_request, reply) => reply.code(204).headers(preflightHeaders).send());
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

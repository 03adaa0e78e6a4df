import { type Operation, type Right } from '@sluice/console-api';
import { operations } from '@sluice/console-api/document';
import { type FastifyInstance, type FastifyReply, type RouteOptions } from 'fastify';
import { type ConsoleSite } from '../config.js';
import {
  unreachable,
  type ConsoleError,
  misdirected,
  notAllowed,
  notFound,
  notSignedIn,
} from '../http/console-error.js';
import { type ConsoleRequest } from '../http/operation.js';
import { RequestCheck } from '../http/request-check.js';
import { hstsHeader, securityHeaders } from '../http/security-headers.js';
import { type ServerWatch } from '../servers/servers.js';
import { sitePath } from '../http/site-files.js';
import { mayDo } from './current-user.js';
import { listHosts } from './hosts.js';
import { type Sessions } from './sessions.js';

const roles = new Map<string, Right | 'public'>(
  [...operations].map(([name, operation]) => [name, operation['x-role']]),
);
const checks = new Map<string, RequestCheck>(
  [...operations].map(([name, operation]) => [name, new RequestCheck(operation)]),
);
const streams: ReadonlySet<string> = new Set<Operation>(['GET /api/live', 'GET /api/now']);
/** Reads that need Kafka. Changes need it too, because they are recorded there; `withoutKafka` is not a change. */
const readsOfKafka: ReadonlySet<string> = new Set<Operation>([
  ...(['GET /api/dead-letters', 'GET /api/dead-letters/:id', 'GET /api/pipeline/ledger'] as const),
]);
const withoutKafka: Operation = 'POST /api/try';

/**
 * Decides for every request whether it may pass: by the route that the router matched, never by the text of the address,
 * which has many spellings. Only operations with a role and the files of the site pass; all else is refused. Query and
 * body are checked after the right.
 */
export class Gate {
  private readonly served = new Set<string>();
  private readonly hosts: ReadonlySet<string>;

  constructor(
    private readonly site: ConsoleSite,
    private readonly sessions: Sessions,
    private readonly watch: ServerWatch,
  ) {
    this.hosts = listHosts(site.origin);
  }

  /** Guards all routes that are added from now on. */
  guard(fastify: FastifyInstance): void {
    fastify.addHook('onRoute', (route) => this.register(route));
    fastify.addHook('onRequest', async (request: ConsoleRequest, reply) => {
      void reply.headers(securityHeaders);
      if (this.site.isSecure) void reply.headers(hstsHeader);
      if (!this.hosts.has((request.headers.host ?? '').toLowerCase())) return answer(reply, misdirected());
      if (request.routeOptions.url === sitePath) return;
      void reply.header('cache-control', 'no-store');
      const refused = await this.check(request, reply);
      if (refused) return answer(reply, refused);
    });
    // A failed check throws; the error filter answers.
    fastify.addHook('preHandler', (request, _reply, done) => {
      const check = checks.get(readOperation(request));
      request.query = check?.query(request.query as object);
      request.body = check?.body(request.body);
      done();
    });
  }

  /** @throws Error when an operation of the API is not served. */
  assertComplete(): void {
    const missing = [...roles.keys()].filter((operation) => !this.served.has(operation));
    if (missing.length > 0) throw new Error(`operations without a route: ${missing.join(', ')}`);
  }

  private register({ method, url }: RouteOptions): void {
    for (const verb of [method].flat()) {
      if (url === sitePath && (verb === 'GET' || verb === 'HEAD')) continue;
      const operation = `${verb} ${url}`;
      if (!roles.has(operation)) throw new Error(`operation without a role: ${operation}`);
      this.served.add(operation);
    }
  }

  private async check(request: ConsoleRequest, reply: FastifyReply): Promise<ConsoleError | undefined> {
    const operation = readOperation(request);
    const role = roles.get(operation);
    if (role === undefined) return notFound('Operation not found.');
    const isChange = request.method !== 'GET' || streams.has(operation);
    if (isChange && !this.isSameOrigin(request)) return notAllowed('The request came from another site.');
    // Other sites may not read either: a read could be recorded as the user's.
    if (role !== 'public' && isOfOtherSite(request)) return notAllowed('The request came from another site.');
    const user = await this.sessions.find(request, reply);
    if (user) request.currentUser = user;
    if (role !== 'public' && !user) return notSignedIn();
    if (role !== 'public' && user && !mayDo(user, role)) return notAllowed(whatIsMissing(role));
    const needsKafka = (request.method !== 'GET' && operation !== withoutKafka) || readsOfKafka.has(operation);
    const whyUnreachable = needsKafka ? this.watch.whyUnreachable('kafka') : undefined;
    return whyUnreachable === undefined ? undefined : unreachable('kafka', whyUnreachable);
  }

  private isSameOrigin({ headers }: ConsoleRequest): boolean {
    const fetchSite = headers['sec-fetch-site'];
    if (fetchSite !== undefined) return fetchSite === 'same-origin';
    return headers.origin === this.site.origin;
  }
}

const readOperation = ({ method, routeOptions }: ConsoleRequest): string => `${method} ${routeOptions.url ?? ''}`;

const answer = (reply: FastifyReply, { status, problem }: ConsoleError): FastifyReply =>
  reply.code(status).send(problem);

const whatIsMissing = (right: Right): string =>
  right === 'privacy' ? 'You need the right to answer requests of people.' : `You need the role ${right} for this.`;

const otherSites: ReadonlySet<unknown> = new Set(['same-site', 'cross-site']);
const isOfOtherSite = ({ headers }: ConsoleRequest): boolean => otherSites.has(headers['sec-fetch-site']);

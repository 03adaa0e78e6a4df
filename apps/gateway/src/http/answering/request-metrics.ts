import { Inject, Injectable } from '@nestjs/common';
import { type Problem, unknownField } from '@sluice/messages';
import { BoundedLabel, Counter, Gauge, Registry } from '@sluice/service';
import { type FastifyInstance, type FastifyRequest } from 'fastify';
import { type ApiError } from '../../errors/api-error.js';
import { DurationHistogram } from './duration-histogram.js';
import { RouteCounts } from './route-counts.js';

type RouteConfig = FastifyRequest['routeOptions']['config'];

/** Upper bound of the label values; all fields together have fewer rules. */
const maxRules = 300;

/** Counts requests, and refused ones by reason. */
@Injectable()
export class RequestMetrics {
  private readonly byRoute = new Map<RouteConfig, RouteCounts>();
  private readonly unknownRoute = new RouteCounts('any', 'unknown');
  private readonly refusals: Counter<'reason'>;
  private readonly invalid: Counter<'field' | 'rule'>;
  private readonly rules = new BoundedLabel(maxRules);

  constructor(@Inject(Registry) private readonly registry: Registry) {
    const registers = [registry];
    this.refusals = new Counter({
      name: 'sluice_gateway_refused_total',
      help: 'Requests that were refused, by reason: the code of the error, or invalid_fields',
      labelNames: ['reason'],
      registers,
    });
    this.invalid = new Counter({
      name: 'sluice_gateway_invalid_fields_total',
      help: 'Fields that broke their rule, in refused requests',
      labelNames: ['field', 'rule'],
      registers,
    });
    this.readCounts(registers);
  }

  /** @param inWork gives the number of requests in work at this moment */
  observe(inWork: () => number): void {
    new Gauge({
      name: 'sluice_gateway_requests_in_work',
      help: 'Requests in work at this moment: from the arrival of their body to their answer',
      registers: [this.registry],
      collect() {
        this.set(inWork());
      },
    });
  }

  /** Counts the requests of all routes that are added to the server from now on. */
  follow(fastify: FastifyInstance): void {
    fastify.addHook('onRequest', (request, { raw }, done) => {
      const { config } = request.routeOptions;
      const counts = this.byRoute.get(config) ?? this.add(config);
      const startedAt = performance.now();
      // `finish` is cheaper than Fastify's onResponse, which adds and removes listeners, also for errors.
      raw.on('finish', () => counts.add(raw.statusCode, (performance.now() - startedAt) / 1_000));
      done();
    });
  }

  /** Counts a refused request. @returns the reason it is counted under: the code of the error, or invalid_fields */
  countRefused({ code, problems }: ApiError): string {
    const reason = code ?? 'invalid_fields';
    this.refusals.inc({ reason });
    if (code === undefined) this.countInvalidFields(problems);
    return reason;
  }

  private countInvalidFields(problems: readonly Problem[]): void {
    for (const { field, message } of problems) {
      // Its name is the client's own.
      if (message.startsWith(unknownField)) continue;
      // Only the first name of the path is a label: names below it are the client's own. The limit is a safeguard.
      const top = /^(?:list\[\d+\]\.?)?([^.[]*)/.exec(field)?.[1] ?? '';
      const key = this.rules.labelFor(`${top}\n${message}`);
      const [fieldOrMessage = '', rule = fieldOrMessage] = key.split('\n');
      this.invalid.inc({ field: rule === fieldOrMessage ? 'other' : fieldOrMessage, rule });
    }
  }

  /** Adds the counts of a route. Fastify has one config for each route, and one without a path for unknown routes. */
  private add(config: RouteConfig): RouteCounts {
    const { method, url } = config as Partial<RouteConfig>;
    const counts = url === undefined ? this.unknownRoute : new RouteCounts(String(method), url);
    this.byRoute.set(config, counts);
    return counts;
  }

  private readCounts(registers: Registry[]): void {
    const listCounts = (): RouteCounts[] => [...new Set(this.byRoute.values())];
    new Counter({
      name: 'sluice_gateway_requests_total',
      help: 'Requests that were answered, by route (its template) and status',
      labelNames: ['method', 'route', 'status'],
      registers,
      collect() {
        this.reset();
        for (const { method, route, byStatus } of listCounts())
          for (const [status, { count }] of byStatus) this.inc({ method, route, status }, count);
      },
    });
    new DurationHistogram(this.registry, listCounts);
  }
}

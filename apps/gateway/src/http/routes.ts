import { Injectable } from '@nestjs/common';
import { type ApiError, httpError } from '../errors/api-error.js';
import { type RouteRules } from '../request/accepts.js';

export interface Route {
  /** Path of the route, with its parameters as `:name`. */
  path: string;
  method: string;
  rules: RouteRules | undefined;
}

/** The existing routes, which distinguish a wrong method from a wrong path; the OpenAPI document is made from them. */
@Injectable()
export class Routes {
  private readonly entries: (Route & { pattern: RegExp })[] = [];

  add(route: Route): void {
    this.entries.push({ ...route, pattern: toRegExp(route.path) });
  }

  list(): readonly Route[] {
    return this.entries;
  }

  /** Returns 405 when the path exists for other methods, else 404. */
  missingRouteError(url: string): ApiError {
    const allowed = this.listMethods(url);
    // Preflights are answered for every path of the API.
    if (allowed.length > 0 && /^\/(?:(?:api|s|v1|projects)\/|sourceConfig)/.test(url)) allowed.push('OPTIONS');
    return allowed.length > 0 ? httpError.methodNotAllowed(allowed) : httpError.notFound();
  }

  /** The methods that a path takes; none when the path does not exist. */
  private listMethods(url: string): string[] {
    return [...new Set(this.match(url).map(({ method }) => method))];
  }

  find(method: string, url: string): Route | undefined {
    return this.match(url).find((route) => route.method === method);
  }

  private match(url: string): readonly Route[] {
    const path = url.split('?', 1)[0] ?? '';
    return this.entries.filter(({ pattern }) => pattern.test(path));
  }
}

const toRegExp = (path: string): RegExp =>
  new RegExp(`^${path.replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&').replaceAll(/:[a-zA-Z]+/g, '[^/]*')}$`);

import { Injectable } from '@nestjs/common';
import { type ApiError, httpError } from '../errors/api-error.js';
import { type RouteRules } from './accepts.js';

export interface Route {
  /** With its parameters as `:name`. */
  path: string;
  method: string;
  rules: RouteRules | undefined;
}

/** The routes that exist: to tell a wrong method from a wrong path, and to document them. */
@Injectable()
export class Routes {
  private readonly known: (Route & { pattern: RegExp })[] = [];

  add(route: Route): void {
    this.known.push({ ...route, pattern: toRegExp(route.path) });
  }

  list(): readonly Route[] {
    return this.known;
  }

  /** 405 where the path exists for other methods, else 404. */
  httpErrorOf(url: string): ApiError {
    const allowed = this.methodsOf(url);
    return allowed.length > 0 ? httpError.methodNotAllowed(allowed) : httpError.notFound();
  }

  /** The methods that a path takes; none when there is no such path. */
  private methodsOf(url: string): string[] {
    return [...new Set(this.at(url).map(({ method }) => method))];
  }

  find(method: string, url: string): Route | undefined {
    return this.at(url).find((route) => route.method === method);
  }

  private at(url: string): readonly Route[] {
    const path = url.split('?', 1)[0] ?? '';
    return this.known.filter(({ pattern }) => pattern.test(path));
  }
}

const toRegExp = (path: string): RegExp =>
  new RegExp(`^${path.replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&').replaceAll(/:[a-zA-Z]+/g, '[^/]*')}$`);

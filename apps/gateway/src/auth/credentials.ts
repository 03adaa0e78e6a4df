import { Injectable } from '@nestjs/common';
import { sourceIdentifierPattern } from '@sluice/contracts';
import { SourceReader } from '@sluice/sources';
import { refusal } from '../errors/api-error.js';

const bearer = /^Bearer +([A-Za-z0-9\-._~+/]+=*) *$/i;

/** Checks what a request says of its source. Source: interface §5, order of design §2. */
@Injectable()
export class Credentials {
  constructor(private readonly sources: SourceReader) {}

  /** @throws ApiError 401, 404, or 503 while the registry is not known, unless the key is the enabled source's. */
  assert(authorization: string | undefined, sourceIdentifier: string): void {
    this.assertKnown();
    const apiKey = bearer.exec(authorization ?? '')?.[1];
    if (apiKey === undefined) throw refusal.authorizationFailed();
    this.assertEnabled(sourceIdentifier);
    if (!this.sources.registry.isKeyOf(sourceIdentifier, apiKey)) throw refusal.authorizationFailed();
  }

  /** For what takes no key. @throws ApiError 404, or 503 while the registry is not known, unless the source is enabled. */
  assertEnabled(sourceIdentifier: string): void {
    this.assertKnown();
    if (!sourceIdentifierPattern.test(sourceIdentifier)) throw refusal.sourceNotFound();
    if (!this.sources.registry.findEnabled(sourceIdentifier)) throw refusal.sourceNotFound();
  }

  /** Before a registry is known, whatever is said of a source would be a guess, and a 4xx tells clients to give up. */
  private assertKnown(): void {
    if (!this.sources.isComplete) throw refusal.unavailable();
  }
}

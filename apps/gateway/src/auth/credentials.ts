import { Injectable } from '@nestjs/common';
import { SourceReader } from '@sluice/sources';
import { ApiError, refusal } from '../errors/api-error.js';

const bearer = /^Bearer +([A-Za-z0-9\-._~+/]+=*) *$/i;
const sourceSegment = /^[A-Za-z0-9]{12}$/;

/** Checks what a request says of its source. Source: interface §5, order of design §2. */
@Injectable()
export class Credentials {
  constructor(private readonly sources: SourceReader) {}

  /** Why the request is refused, or undefined when the key is the source's. */
  refuse(authorization: string | undefined, sourceIdentifier: string): ApiError | undefined {
    const apiKey = bearer.exec(authorization ?? '')?.[1];
    if (apiKey === undefined) return refusal.authorizationFailed();
    if (!sourceSegment.test(sourceIdentifier)) return refusal.sourceNotFound();
    // Before the registry is known, "unknown source" would be a guess.
    if (!this.sources.isComplete) return refusal.unavailable();
    if (!this.sources.registry.findEnabled(sourceIdentifier)) return refusal.sourceNotFound();
    if (!this.sources.registry.isKeyOf(sourceIdentifier, apiKey)) return refusal.authorizationFailed();
    return undefined;
  }
}

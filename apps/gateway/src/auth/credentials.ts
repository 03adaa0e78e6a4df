import { Injectable } from '@nestjs/common';
import { sourceIdentifierPattern } from '@sluice/contracts';
import { type Source, SourceReader } from '@sluice/sources';
import { CanaryDoor } from '../canary/canary-door.js';
import { httpError } from '../errors/api-error.js';

const bearer = /^Bearer +([A-Za-z0-9\-._~+/]+=*) *$/i;

const basic = /^Basic +([A-Za-z0-9+/]+=*) *$/i;
const writeKey = /^([A-Za-z0-9]{12})_([A-Za-z0-9\-._~+/]+=*)$/;

/** Bounds of the remembered users, so that no client can fill the memory. */
const maxUsers = 1_000;
const maxRememberedLength = 256;
/** Users by their `Authorization`: a client sends the same one with each request. */
const users = new Map<string, string>();

/** User of Basic credentials, `user:password`; empty if there are none. */
function basicUser(authorization = ''): string {
  const rememberedUser = users.get(authorization);
  if (rememberedUser !== undefined) return rememberedUser;
  const decoded = Buffer.from(basic.exec(authorization)?.[1] ?? '', 'base64').toString('latin1');
  const user = decoded.split(':', 1)[0] ?? '';
  if (authorization.length <= maxRememberedLength) {
    if (users.size >= maxUsers) users.clear();
    users.set(authorization, user);
  }
  return user;
}

/** The key of a Bearer header; undefined for any other. */
export const readApiKey = (authorization: string | undefined): string | undefined =>
  bearer.exec(authorization ?? '')?.[1];

/** The source and the key of a write key, which stands in the path or is the user of Basic credentials. */
export function readWriteKey(
  authorization: string | undefined,
  keyInPath: string | undefined,
): { sourceIdentifier: string; apiKey: string } | undefined {
  const [, sourceIdentifier, apiKey] = writeKey.exec(keyInPath ?? basicUser(authorization)) ?? [];
  return sourceIdentifier === undefined || apiKey === undefined ? undefined : { sourceIdentifier, apiKey };
}

/** Retry time while the registry of sources is still being read, which usually takes less. */
const soonSeconds = 5;

/** Checks the credentials of a request, in the order of docs/api.md#order-of-checks. */
@Injectable()
export class Credentials {
  constructor(
    private readonly sources: SourceReader,
    private readonly canaryDoor: CanaryDoor,
  ) {}

  /**
   * Returns the enabled source that the key belongs to.
   * @throws ApiError 401, 404, or 503 while the registry is not known.
   */
  assert(authorization: string | undefined, sourceIdentifier: string): Source {
    this.assertRegistryRead();
    const apiKey = readApiKey(authorization);
    if (apiKey === undefined) throw httpError.authorizationFailed();
    if (this.canaryDoor.isFor(sourceIdentifier)) {
      const canary = this.canaryDoor.enter(apiKey);
      if (!canary) throw httpError.authorizationFailed();
      return canary;
    }
    const source = this.assertEnabled(sourceIdentifier);
    if (!this.sources.registry.isValidKey(sourceIdentifier, apiKey)) throw httpError.authorizationFailed();
    return source;
  }

  /**
   * Returns the enabled source of a write key: `<sourceIdentifier>_<apiKey>`, which clients of Segment send as the user
   * of Basic credentials or in the path.
   * @throws ApiError 401, 404, 403 when the source takes no clients of Segment, or 503 while the registry is not known.
   */
  assertWriteKey(authorization: string | undefined, keyInPath: string | undefined): Source {
    this.assertRegistryRead();
    const sent = readWriteKey(authorization, keyInPath);
    if (!sent) throw (keyInPath ?? basicUser(authorization)) === '' ? httpError.noWriteKey() : httpError.badWriteKey();
    const { sourceIdentifier, apiKey } = sent;
    const source = this.assertEnabled(sourceIdentifier);
    if (!this.sources.registry.isValidKey(sourceIdentifier, apiKey)) throw httpError.strangeWriteKey();
    if (source.segment !== 'on') throw httpError.notForSegment();
    return source;
  }

  /** Returns an enabled source without checking a key. @throws ApiError 404, or 503 while the registry is not known. */
  assertEnabled(sourceIdentifier: string): Source {
    this.assertRegistryRead();
    if (!sourceIdentifierPattern.test(sourceIdentifier)) throw httpError.sourceNotFound();
    const source = this.sources.registry.findEnabled(sourceIdentifier);
    if (!source) throw httpError.sourceNotFound();
    return source;
  }

  /** Without a registry, 401 or 404 would be a guess, and a 4xx makes clients give up. */
  private assertRegistryRead(): void {
    if (!this.sources.isComplete) throw httpError.unavailable(soonSeconds);
  }
}

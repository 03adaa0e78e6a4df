import { Injectable } from '@nestjs/common';
import { type ConsoleState, type UserRecord } from '@sluice/operations';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { type ConsoleSite } from '../config.js';
import { readCookie, setCookie } from './cookies.js';
import { type CurrentUser } from './current-user.js';
import { type Sealed } from './sealed.js';

const sessionMs = 8 * 3_600_000;
const idleMs = 30 * 60_000;
/** Age of the cookie's last use after which it is written again. */
const renewMs = 60_000;

interface Session {
  user: string;
  /** Milliseconds since 1970. */
  began: number;
  used: number;
}

/** Sessions in sealed cookies. Nothing is kept here: a session ends with its time, or with its user's `notBefore`. */
@Injectable()
export class Sessions {
  private readonly cookie: string;

  constructor(
    private readonly site: ConsoleSite,
    private readonly sealed: Sealed,
    private readonly state: ConsoleState,
  ) {
    this.cookie = site.isSecure ? '__Host-sluice' : 'sluice-console';
  }

  async begin(reply: FastifyReply, user: UserRecord): Promise<void> {
    // A session that begins in the millisecond of a revocation is a new one.
    const began = Math.max(Date.now(), user.notBefore + 1);
    await this.write(reply, { user: user.id, began, used: began });
  }

  end(reply: FastifyReply): void {
    setCookie(reply, this.cookie, '', { isSecure: this.site.isSecure, maxAgeSeconds: 0 });
  }

  /** The user of the request, if the session is valid now. It is renewed by its use. */
  async find(request: FastifyRequest, reply: FastifyReply): Promise<CurrentUser | undefined> {
    const text = readCookie(request, this.cookie);
    const session = text === undefined ? undefined : await this.sealed.open('session', text);
    if (!isSession(session)) return undefined;
    const now = Date.now();
    const user = this.findUser(session, now);
    if (!user) return undefined;
    if (now - session.used > renewMs) await this.write(reply, { ...session, used: now });
    return {
      id: user.id,
      name: user.name,
      role: user.role,
      payloads: user.payloads,
      privacy: user.privacy ?? false,
      address: request.ip,
      sessionEndsAt: session.began + sessionMs,
      hasPassword: user.password !== undefined,
    };
  }

  /** Whether a session that was valid still is; for streams. */
  isStillValid({ id, sessionEndsAt }: CurrentUser): boolean {
    return this.findUser({ user: id, began: sessionEndsAt - sessionMs, used: Date.now() }, Date.now()) !== undefined;
  }

  /** Whether the user still has the rights with which a stream was opened. */
  hasSameRights({ id, role, payloads, privacy }: CurrentUser): boolean {
    const user = this.state.get('user', id);
    return user?.role === role && user.payloads === payloads && (user.privacy ?? false) === privacy;
  }

  private findUser({ user: id, began, used }: Session, now: number): UserRecord | undefined {
    const user = this.state.get('user', id);
    if (!user || user.isDisabled || began <= user.notBefore) return undefined;
    return now - began < sessionMs && now - used < idleMs ? user : undefined;
  }

  private async write(reply: FastifyReply, session: Session): Promise<void> {
    const value = await this.sealed.seal('session', session);
    setCookie(reply, this.cookie, value, { isSecure: this.site.isSecure, maxAgeSeconds: sessionMs / 1_000 });
  }
}

function isSession(value: unknown): value is Session {
  const { user, began, used } = (value ?? {}) as Partial<Session>;
  return typeof user === 'string' && Number.isFinite(began) && Number.isFinite(used);
}

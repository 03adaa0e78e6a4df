import { Body, Controller, Logger, Query, Req, Res } from '@nestjs/common';
import {
  type IssuerQuery,
  type LinkSignIn,
  type NewPassword,
  type PasswordSignIn,
  type SessionState,
} from '@sluice/console-api';
import { ConsoleReader, ConsoleWriter, takeLink, type UserRecord } from '@sluice/operations';
import { errorCode, version } from '@sluice/service';
import { type FastifyReply } from 'fastify';
import { ConsoleError, invalid, notAllowed } from '../http/console-error.js';
import { type ConsoleRequest, Serves, ActingUser } from '../http/operation.js';
import { isOwnPath } from '../http/own-path.js';
import { Actions } from '../settings/actions.js';
import { readCookie, setCookie } from './cookies.js';
import { type CurrentUser } from './current-user.js';
import { Oidc, type PendingSignIn } from './oidc.js';
import { hashPassword, inTurn, isPassword } from './passwords.js';
import { Sealed } from './sealed.js';
import { Sessions } from './sessions.js';
import { Tries } from './tries.js';

const pendingSeconds = 600;

/** Signs in and out. */
@Controller()
export class SessionController {
  private readonly logger = new Logger(SessionController.name);
  private readonly tries = new Tries();

  constructor(
    private readonly reader: ConsoleReader,
    private readonly writer: ConsoleWriter,
    private readonly sessions: Sessions,
    private readonly sealed: Sealed,
    private readonly oidc: Oidc,
    private readonly actions: Actions,
  ) {}

  /** With the prefix, a sibling domain cannot plant the cookie of its own sign-in. */
  private get pendingCookie(): string {
    return this.actions.site.isSecure ? '__Host-sluice-oidc' : 'sluice-oidc';
  }

  @Serves('GET /api/session')
  show(@Req() { currentUser }: ConsoleRequest): SessionState {
    return this.buildState(currentUser);
  }

  @Serves('POST /api/session')
  async signIn(
    @Body() { user: id, password }: PasswordSignIn,
    @Req() request: ConsoleRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    this.tries.begin(request.ip, id);
    const user = this.reader.state.get('user', id);
    const isRight = await inTurn(request.ip, () => isPassword(password, user?.password));
    if (!isRight || !user || user.isDisabled) {
      this.tries.failed(request.ip, id);
      throw notAllowed('Wrong user or password.');
    }
    this.tries.succeeded(request.ip, id);
    return this.begin(user, 'with a password', request, reply);
  }

  @Serves('POST /api/session/link')
  async useLink(
    @Body() { token }: LinkSignIn,
    @Req() request: ConsoleRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    // A secret of 256 bits cannot be guessed, so tries are not counted. A wrong one is answered only after two seconds.
    const user = await takeLink(this.reader.state, this.writer, token);
    if (!user || user.isDisabled) {
      throw notAllowed('This link has already been used or is older than 15 minutes. Ask for a new one.');
    }
    return this.begin(user, 'with a link', request, reply);
  }

  @Serves('GET /api/session/oidc')
  async goToIssuer(@Query() { to = '/' }: IssuerQuery, @Res() reply: FastifyReply): Promise<void> {
    if (this.oidc.name === null) throw invalid('Single sign-on is not set up.');
    const { url, pending } = await this.oidc.begin().catch((error: unknown) => this.issuerFailed(error));
    const options = { isSecure: this.actions.site.isSecure, maxAgeSeconds: pendingSeconds };
    setCookie(reply, this.pendingCookie, await this.sealed.seal('oidc', { ...pending, to }), options);
    await reply.redirect(url, 302);
  }

  @Serves('GET /api/session/oidc/callback')
  async comeBack(@Req() request: ConsoleRequest, @Res() reply: FastifyReply): Promise<void> {
    const sealed = readCookie(request, this.pendingCookie) ?? '';
    const pending = (await this.sealed.open('oidc', sealed)) as (PendingSignIn & { to: string }) | undefined;
    if (!pending || this.oidc.name === null) {
      await reply.redirect('/login?problem=expired', 302);
      return;
    }
    const query = request.url.slice(request.url.indexOf('?'));
    try {
      const identity = await this.oidc.end(query, pending);
      const storedUser = this.reader.state.get('user', identity.id);
      if (storedUser?.isDisabled) throw notAllowed('This user is disabled.');
      const record: UserRecord = {
        origin: 'oidc',
        isDisabled: false,
        createdAt: new Date().toISOString(),
        notBefore: 0,
        ...storedUser,
        ...identity,
      };
      await this.writer.put('user', record.id, record);
      await this.begin(record, 'at the issuer', request, reply);
      setCookie(reply, this.pendingCookie, '', { isSecure: this.actions.site.isSecure, maxAgeSeconds: 0 });
      await reply.redirect(isOwnPath(this.actions.site.origin, pending.to) ? pending.to : '/', 302);
    } catch (error) {
      this.logger.warn({ msg: 'a sign-in at the issuer failed', error: errorCode(error) });
      const problem = error instanceof ConsoleError ? error.problem.code : 'failed';
      await reply.redirect(`/login?problem=${problem}`, 302);
    }
  }

  /** Ends all sessions of the user: a copy of the cookie is worth nothing afterwards. */
  @Serves('DELETE /api/session')
  async signOut(
    @ActingUser() user: CurrentUser,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SessionState> {
    const record = this.reader.state.get('user', user.id);
    if (record) {
      await this.actions.record(user, { operation: 'session.end', object: user.id }, () =>
        this.writer.put('user', user.id, { ...record, notBefore: Date.now() }),
      );
    }
    this.sessions.end(reply);
    return this.buildState(undefined);
  }

  @Serves('PUT /api/session/password')
  async setPassword(@Body() body: NewPassword, @ActingUser() user: CurrentUser): Promise<SessionState> {
    const record = this.reader.state.get('user', user.id);
    if (record?.origin !== 'local') throw invalid('You sign in at a provider, so you have no password here.');
    const storedPassword = record.password;
    if (storedPassword !== undefined) {
      this.tries.begin(user.address, user.id);
      const { current = '' } = body;
      const isRight = await inTurn(user.address, () => isPassword(current, storedPassword));
      if (!isRight) {
        this.tries.failed(user.address, user.id);
        throw notAllowed('The current password is wrong.');
      }
      this.tries.succeeded(user.address, user.id);
    }
    const password = await inTurn(user.address, () => hashPassword(body.password));
    await this.actions.record(user, { operation: 'session.password', object: user.id }, () =>
      this.writer.put('user', user.id, { ...record, password }),
    );
    return this.buildState({ ...user, hasPassword: true });
  }

  private async begin(
    user: UserRecord,
    how: string,
    { ip }: ConsoleRequest,
    reply: FastifyReply,
  ): Promise<SessionState> {
    const current: CurrentUser = {
      id: user.id,
      name: user.name,
      role: user.role,
      payloads: user.payloads,
      privacy: user.privacy ?? false,
      address: ip,
      sessionEndsAt: Date.now() + 8 * 3_600_000,
      hasPassword: user.password !== undefined,
    };
    await this.actions.record(current, { operation: 'session.begin', object: user.id, details: { how } }, () =>
      this.sessions.begin(reply, user),
    );
    return this.buildState(current);
  }

  private buildState(user: CurrentUser | undefined): SessionState {
    const hasPasswords = this.reader.state.list('user').some(({ password }) => password !== undefined);
    return {
      user: user
        ? {
            id: user.id,
            name: user.name,
            role: user.role,
            payloads: user.payloads,
            privacy: user.privacy,
            endsAt: new Date(user.sessionEndsAt).toISOString(),
            hasPassword: user.hasPassword,
          }
        : null,
      signIn: { password: hasPasswords, oidc: this.oidc.name },
      version,
    };
  }

  private issuerFailed(error: unknown): never {
    this.logger.warn({ msg: 'the issuer cannot be used', error: errorCode(error) });
    throw new ConsoleError(503, { code: 'issuer-unreachable', message: 'The sign-in provider is not responding.' });
  }
}

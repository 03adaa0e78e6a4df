import { type Role } from '@sluice/console-api';
import { ConfigError } from '@sluice/service';
import * as client from 'openid-client';
import { type ConsoleConfig } from '../config.js';
import { notAllowed } from '../http/console-error.js';

/** State of a sign-in, sealed in a cookie while the browser is at the issuer. */
export interface PendingSignIn {
  verifier: string;
  state: string;
  nonce: string;
}

/** Someone whom the issuer knows. */
export interface ProviderIdentity {
  id: string;
  name: string;
  role: Role;
  payloads: boolean;
  privacy: boolean;
}

const roleNames: readonly Role[] = ['viewer', 'editor', 'admin'];

/** Signs in at an OpenID provider: code flow with PKCE, state and nonce. No token is kept. */
export class Oidc {
  private readonly grants: Map<string, Grant>;
  private discovered: Promise<client.Configuration> | undefined;

  constructor(
    private readonly config: ConsoleConfig,
    private readonly callback: string,
  ) {
    this.grants = parseRoles(config.OIDC_ROLES);
  }

  get name(): string | null {
    return this.config.OIDC_ISSUER === '' ? null : this.config.OIDC_NAME;
  }

  async begin(): Promise<{ url: string; pending: PendingSignIn }> {
    const issuer = await this.issuer();
    const verifier = client.randomPKCECodeVerifier();
    const pending = { verifier, state: client.randomState(), nonce: client.randomNonce() };
    const url = client.buildAuthorizationUrl(issuer, {
      redirect_uri: this.callback,
      scope: this.config.OIDC_SCOPES,
      code_challenge: await client.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      state: pending.state,
      nonce: pending.nonce,
    });
    return { url: url.href, pending };
  }

  /** @throws when the answer is not the issuer's to this sign-in, or no group of the user has a role. */
  async end(query: string, { verifier, state, nonce }: PendingSignIn): Promise<ProviderIdentity> {
    const issuer = await this.issuer();
    const tokens = await client.authorizationCodeGrant(issuer, new URL(`${this.callback}${query}`), {
      pkceCodeVerifier: verifier,
      expectedState: state,
      expectedNonce: nonce,
      idTokenExpected: true,
    });
    const claims = tokens.claims() ?? { sub: '' };
    const userClaims: Record<string, unknown> = {
      ...claims,
      ...(await this.userInfo(issuer, tokens.access_token, claims.sub)),
    };
    const text = (claim: string): string => {
      const value = userClaims[claim];
      return typeof value === 'string' ? value : '';
    };
    const groups = [userClaims[this.config.OIDC_GROUPS_CLAIM] ?? []].flat().map(String);
    const grant = strongest([...groups, '*'].flatMap((group) => this.grants.get(group) ?? []));
    if (!grant) throw notAllowed('None of your groups has a role here. Ask an administrator.');
    return { id: `oidc:${claims.sub}`, name: text('name') || text('email') || claims.sub, ...grant };
  }

  private async userInfo(
    issuer: client.Configuration,
    token: string,
    subject: string,
  ): Promise<Record<string, unknown>> {
    if (issuer.serverMetadata().userinfo_endpoint === undefined) return {};
    return client.fetchUserInfo(issuer, token, subject);
  }

  private issuer(): Promise<client.Configuration> {
    const { OIDC_ISSUER, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET, OIDC_CLIENT_SECRET_FILE } = this.config;
    const secret = OIDC_CLIENT_SECRET_FILE ?? OIDC_CLIENT_SECRET;
    const url = new URL(OIDC_ISSUER);
    const isLocal = url.protocol === 'http:' && (url.hostname === 'localhost' || url.hostname === '127.0.0.1');
    // An issuer on this machine, as in tests, may be without TLS; openid-client marks the switch as deprecated to warn.
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- for a loopback address only
    const options = isLocal ? { execute: [client.allowInsecureRequests] } : {};
    this.discovered ??= client.discovery(url, OIDC_CLIENT_ID, secret, undefined, options).catch((error: unknown) => {
      this.discovered = undefined;
      throw error;
    });
    return this.discovered;
  }
}

type Grant = Pick<ProviderIdentity, 'role' | 'payloads' | 'privacy'>;

const rights: ReadonlySet<string> = new Set(['payloads', 'privacy']);

/** @throws ConfigError unless it is like `platform=admin+payloads+privacy;*=viewer`. */
export function parseRoles(text: string): Map<string, Grant> {
  const parts = text.split(';').map((part) => part.trim());
  return new Map(
    parts.filter(Boolean).map((part) => {
      const separator = part.lastIndexOf('=');
      const [name = '', ...extras] = part
        .slice(separator + 1)
        .split('+')
        .map((word) => word.trim());
      const role = roleNames.find((roleName) => roleName === name);
      if (separator < 1 || !role || extras.some((extra) => !rights.has(extra))) {
        throw ConfigError.fromProblems([
          `OIDC_ROLES: must be like platform=admin+payloads+privacy;*=viewer, has "${part}"`,
        ]);
      }
      const granted = { payloads: extras.includes('payloads'), privacy: extras.includes('privacy') };
      return [part.slice(0, separator).trim(), { role, ...granted }] as const;
    }),
  );
}

function strongest(grants: readonly Grant[]): Grant | undefined {
  const role = roleNames.findLast((roleName) => grants.some((grant) => grant.role === roleName));
  return (
    role && {
      role,
      payloads: grants.some(({ payloads }) => payloads),
      privacy: grants.some(({ privacy }) => privacy),
    }
  );
}

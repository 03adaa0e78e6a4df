import { isIP } from 'node:net';
import { clickhouseVariables } from '@sluice/clickhouse';
import { kafkaVariables } from '@sluice/kafka';
import { erasureVariables } from '@sluice/operations';
import { privacyVariables } from '@sluice/privacy';
import { type Config, ConfigError, fileContent, port, serviceVariables, str, url } from '@sluice/service';

export const consoleVariables = {
  ...serviceVariables,
  ...kafkaVariables,
  ...clickhouseVariables,
  ...privacyVariables,
  PRIVACY_AD_REQUEST_PATHS: erasureVariables.PRIVACY_AD_REQUEST_PATHS,
  CONSOLE_HOST: str({ default: '0.0.0.0', desc: 'Address that browsers connect to' }),
  CONSOLE_PORT: port({ default: 8070, desc: 'Port that browsers connect to' }),
  CONSOLE_URL: url({
    desc: 'Address of the console in the browser: https, or http on a loopback address',
    example: 'https://console.example.com',
  }),
  CONSOLE_SECRET: str({
    default: '',
    desc: 'Secret of at least 32 characters that seals sessions; the same for all instances. A new one signs everybody out',
  }),
  CONSOLE_SECRET_FILE: fileContent({ default: undefined, desc: 'File with that secret; it wins over CONSOLE_SECRET' }),
  CONSOLE_TRUSTED_PROXIES: str({
    default: '',
    desc: 'Comma-separated addresses and networks of the proxies before the console, whose X-Forwarded-For is believed',
    example: '10.0.0.0/8',
  }),
  GATEWAY_URL: url({
    desc: 'Address of the gateway as clients see it; for snippets, and to try a body',
    example: 'https://events.example.com',
  }),
  CONSOLE_GATEWAY_URL: str({
    default: '',
    desc: 'Address of the gateway as the console reaches it; GATEWAY_URL by default',
  }),
  GATEWAY_METRICS_URLS: str({ default: '', desc: 'Comma-separated addresses of the gateways’ /metrics' }),
  CONSUMER_METRICS_URLS: str({ default: '', desc: 'Comma-separated addresses of the consumers’ /metrics' }),
  OIDC_ISSUER: str({ default: '', desc: 'Issuer to sign in with, such as https://login.example.com; none when empty' }),
  OIDC_NAME: str({ default: 'single sign-on', desc: 'Name of the issuer on the button' }),
  OIDC_CLIENT_ID: str({ default: '', desc: 'Client id at the issuer' }),
  OIDC_CLIENT_SECRET: str({ default: '', desc: 'Client secret at the issuer' }),
  OIDC_CLIENT_SECRET_FILE: fileContent({
    default: undefined,
    desc: 'File with that secret; it wins over OIDC_CLIENT_SECRET',
  }),
  OIDC_SCOPES: str({ default: 'openid profile email', desc: 'Scopes that are asked for' }),
  OIDC_GROUPS_CLAIM: str({ default: 'groups', desc: 'Claim with the groups of the user' }),
  OIDC_ROLES: str({
    default: '',
    desc: 'Role of each group: admin, editor or viewer, with +payloads for unmasked payloads and +privacy to erase and export people. Nobody else may sign in',
    example: 'platform=admin+payloads+privacy;shop=editor;*=viewer',
  }),
};
export type ConsoleConfig = Config<typeof consoleVariables>;
/** Token of the configuration, which is not a class. */
export const consoleConfig = Symbol('configuration of the console');

const loopback = new Set(['localhost', '127.0.0.1', '[::1]']);
const minSecretLength = 32;

/** Values that follow from several variables. */
export interface ConsoleSite {
  /** Scheme, host and port of the console. */
  origin: string;
  isSecure: boolean;
  secret: string;
  /** Addresses and networks of proxies that are believed. */
  trustedProxies: readonly string[];
}

/** @throws ConfigError when cookies would not be safe. */
export function parseSite(config: ConsoleConfig): ConsoleSite {
  const { protocol, hostname, origin } = new URL(config.CONSOLE_URL);
  const secret = config.CONSOLE_SECRET_FILE ?? config.CONSOLE_SECRET;
  const problems: string[] = [];
  const isSecure = protocol === 'https:';
  if (!isSecure && !loopback.has(hostname)) {
    problems.push('CONSOLE_URL: must be https, because sessions could be read on the way; http is for localhost only');
  }
  if (secret.length < minSecretLength)
    problems.push(`CONSOLE_SECRET: must have at least ${minSecretLength} characters`);
  if (config.OIDC_ISSUER !== '' && config.OIDC_ROLES === '') {
    problems.push('OIDC_ROLES: is required with OIDC_ISSUER, because nobody could sign in');
  }
  const trustedProxies = config.CONSOLE_TRUSTED_PROXIES.split(',')
    .map((proxy) => proxy.trim())
    .filter(Boolean);
  const wrong = trustedProxies.filter((proxy) => !isNetwork(proxy));
  if (wrong.length > 0) problems.push(`CONSOLE_TRUSTED_PROXIES: ${wrong.join(', ')} is not an address or a network`);
  if (problems.length > 0) throw ConfigError.fromProblems(problems);
  return { origin, isSecure, secret, trustedProxies };
}

/** Whether the text is like `10.0.0.1` or `10.0.0.0/8`. `/0` is refused: it would believe everybody. */
function isNetwork(text: string): boolean {
  const [address = '', length, ...extraParts] = text.split('/');
  const bits = { 0: 0, 4: 32, 6: 128 }[isIP(address)] ?? 0;
  if (length === undefined) return bits > 0;
  return extraParts.length === 0 && /^\d{1,3}$/.test(length) && Number(length) >= 1 && Number(length) <= bits;
}

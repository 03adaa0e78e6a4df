import { type Source } from './source.js';

/** Upper bound of the origins that a source names. */
export const maxOrigins = 100;

const anySubdomain = '*.';
/** Scheme, perhaps `*.`, and the rest, which a URL parser checks. */
const originPattern = /^(https?:\/\/)(\*\.)?([^/?#\\@*\s]+)$/i;
const labels = /^[a-z0-9_-]+(?:\.[a-z0-9_-]+)*$/;

/**
 * An origin as browsers write it in `Origin`: scheme, host in lower case and ASCII, port unless it is the scheme's own.
 * `*.` before the host stands for its subdomains, at any depth, and not for the host itself; the host must have a dot
 * then. Undefined for anything else.
 */
export function parseOrigin(text: string): string | undefined {
  const [, scheme = '', wildcard = '', hostPart = ''] = originPattern.exec(text) ?? [];
  if (hostPart === '' || hostPart.endsWith(':') || !URL.canParse(scheme + hostPart)) return undefined;
  const { protocol, hostname, host } = new URL(scheme + hostPart);
  // An address has no subdomains, and those of a name of one label, such as `com`, have no common owner.
  const canHaveSubdomains = labels.test(hostname) && hostname.includes('.') && !/\.\d+$/.test(hostname);
  if (wildcard !== '' && !canHaveSubdomains) return undefined;
  return `${protocol}//${wildcard}${host}`;
}

/**
 * Whether a source takes requests with this `Origin`. Browsers send it with every POST of a page, and no page can change
 * it. Servers and apps send none, and pass: a client that is not a browser could write any, so refusing them would keep
 * nobody out.
 */
export function acceptsOrigin({ origins }: Pick<Source, 'origins'>, origin: string | undefined): boolean {
  if (origins === undefined || origin === undefined) return true;
  return origins.some((accepted) => accepted === origin || isSubdomain(accepted, origin));
}

function isSubdomain(accepted: string, origin: string): boolean {
  const index = accepted.indexOf(anySubdomain);
  if (index < 0) return false;
  const [scheme, domain] = [accepted.slice(0, index), accepted.slice(index + 1)];
  const isBelow = origin.startsWith(scheme) && origin.endsWith(domain);
  return isBelow && labels.test(origin.slice(scheme.length, origin.length - domain.length));
}

import { type FastifyReply, type FastifyRequest } from 'fastify';

interface CookieOptions {
  isSecure: boolean;
  maxAgeSeconds: number;
}

export function readCookie({ headers }: FastifyRequest, name: string): string | undefined {
  for (const pair of (headers.cookie ?? '').split(';')) {
    const separator = pair.indexOf('=');
    if (separator > 0 && pair.slice(0, separator).trim() === name) return pair.slice(separator + 1).trim();
  }
  return undefined;
}

/** Adds a cookie that no script can read. SameSite=Lax: a link from elsewhere finds its user signed in. */
export function setCookie(reply: FastifyReply, name: string, value: string, options: CookieOptions): void {
  const { isSecure, maxAgeSeconds } = options;
  const cookie = `${name}=${value}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${maxAgeSeconds}${isSecure ? '; Secure' : ''}`;
  const earlierCookies = reply.getHeader('set-cookie');
  void reply.removeHeader('set-cookie');
  for (const cookieText of [...[earlierCookies ?? []].flat(), cookie]) void reply.header('set-cookie', cookieText);
}

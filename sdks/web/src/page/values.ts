import { type KeyValueStore } from '@sluice/sdk-core';

const shared = ['device', 'anonymousId', 'userId'];
/** Browsers keep no cookie for longer. */
const longest = 400 * 86_400;

/**
 * Small values of one source, in localStorage and in a cookie that all subdomains share. What the cookie says when the
 * page begins wins: another subdomain may have written it.
 */
export class PageValues implements KeyValueStore {
  private readonly prefix: string;
  private memory: Record<string, string> | undefined;

  constructor(
    sourceIdentifier: string,
    private readonly storage: Storage | undefined,
    private readonly page: Document,
  ) {
    this.prefix = `sluice.${sourceIdentifier}.`;
  }

  get(name: string): string | null {
    // Nothing is read before consent.
    const memory = (this.memory ??= this.begin());
    return this.storage ? this.storage.getItem(this.prefix + name) : (memory[name] ?? null);
  }

  set(name: string, value: string): void {
    const memory = (this.memory ??= this.begin());
    memory[name] = value;
    if (shared.includes(name))
      this.writeCookie(shared.map((one) => encodeURIComponent(memory[one] ?? '')).join('/'), longest);
    this.storage?.setItem(this.prefix + name, value);
  }

  clear(): void {
    this.memory = {};
    this.writeCookie('', 0);
    for (const name of [...shared, 'lost']) this.storage?.removeItem(this.prefix + name);
  }

  private begin(): Record<string, string> {
    const memory: Record<string, string> = {};
    const cookies = `; ${attempt(() => this.page.cookie) ?? ''}`.split(`; ${this.prefix}=`);
    const known = cookies[1]?.split(';')[0]?.split('/') ?? [];
    for (const [at, name] of shared.entries()) {
      const value = attempt(() => decodeURIComponent(known[at] ?? '')) ?? '';
      const stored = attempt(() => this.storage?.getItem(this.prefix + name)) ?? undefined;
      if (value) memory[name] = value;
      else if (stored !== undefined) memory[name] = stored;
      if (value && value !== stored) attempt(() => this.storage?.setItem(this.prefix + name, value));
    }
    return memory;
  }

  /** On the shortest domain that the browser takes: `shop.example` for `www.shop.example`, never `example`. */
  private writeCookie(value: string, age: number): void {
    const { hostname, protocol } = this.page.location;
    const labels = hostname.split('.');
    const isNamed = labels.length > 1 && !/^[\d.]+$|:/.test(hostname);
    const domains = isNamed ? labels.map((_, at) => `;domain=${labels.slice(-at - 1).join('.')}`).slice(1) : [];
    const secure = protocol === 'https:' ? ';secure' : '';
    attempt(() => {
      for (const domain of [...domains, '']) {
        this.page.cookie = `${this.prefix}=${value};path=/;max-age=${age};samesite=lax${domain}${secure}`;
        if (age > 0 && this.page.cookie.includes(`${this.prefix}=${value}`)) break;
      }
    });
  }
}

/** Undefined when it throws: cookies and storage may be refused at any moment. */
export function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

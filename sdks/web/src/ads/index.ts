import { resolveAddress } from '../address.js';
import { type Host } from '../options.js';

export interface Ads {
  /** The ad; null when there is none, or no answer. The body names the source (docs/api.md). */
  requestAd(body: object): Promise<unknown>;
  requestSponsoredAd(body: object): Promise<unknown>;
}

/** Requests ads from `rtbPath`, else from `apiPath`, else from the page's origin. On a server it finds none. */
export function createAds({ apiPath, rtbPath }: Pick<Host, 'apiPath' | 'rtbPath'> = {}): Ads {
  const request =
    (kind: string) =>
    async (body: object): Promise<unknown> => {
      try {
        const base = resolveAddress(rtbPath, resolveAddress(apiPath, location.origin)).replace(/\/+$/, '');
        const answer = await fetch(`${base}/api/rtb/${kind}`, {
          method: 'POST',
          headers: { 'Content-Type': 'application/json' },
          body: JSON.stringify(body),
          credentials: 'omit',
        });
        return answer.status === 200 ? ((await answer.json()) as unknown) : null;
      } catch {
        return null;
      }
    };
  return { requestAd: request('ad'), requestSponsoredAd: request('sponsoredAd') };
}

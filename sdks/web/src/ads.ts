import { type WebClient } from './options.js';

/** @param base of the ad requests; not a URL on a server, which makes none */
export function adRequests(base: string): Pick<WebClient, 'requestAd' | 'requestSponsoredAd'> {
  /** The answer; null when there is no ad, or no answer. The body names the source (docs/api.md). */
  const request =
    (kind: string) =>
    async (body: object): Promise<unknown> => {
      try {
        const answer = await fetch(new URL(`${base}/api/rtb/${kind}`), {
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

/** The answer to an ad request; null when there is no ad, or no answer. The body names the source (docs/api.md). */
export async function requestAd(base: string, kind: 'ad' | 'sponsoredAd', body: object): Promise<unknown> {
  try {
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
}

/** Asked for once: it is a third of the cost of a message. */
let timezone: string | undefined;

const campaignNames = ['source', 'medium', 'name', 'term', 'content', 'id'];

/** Describes the page as it is now. */
export function pageContext(page: Document): Record<string, unknown> {
  const { href, pathname, search } = page.location;
  const query = new URLSearchParams(search);
  const campaign: Record<string, string> = {};
  for (const name of campaignNames) {
    const value = query.get(`utm_${name === 'name' ? 'campaign' : name}`);
    if (value) campaign[name] = value;
  }
  return {
    page: { url: href, path: pathname, search, title: page.title, referrer: page.referrer },
    locale: navigator.language,
    timezone: (timezone ??= Intl.DateTimeFormat().resolvedOptions().timeZone),
    screen: { width: screen.width, height: screen.height, density: devicePixelRatio },
    ...(Object.keys(campaign).length > 0 && { campaign }),
  };
}

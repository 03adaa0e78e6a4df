/** Asked for once: it is a third of the cost of a message. */
let timezone: string | undefined;

const campaignNames = ['source', 'medium', 'campaign', 'term', 'content', 'id'];

/** Describes the page as it is now. */
export function pageContext(): Record<string, unknown> {
  const { href: url, pathname: path, search } = location;
  const { title, referrer } = document;
  const { width, height } = screen;
  const query = new URLSearchParams(search);
  const campaign = campaignNames.flatMap((name) => {
    const value = query.get(`utm_${name}`);
    return value ? [[name === 'campaign' ? 'name' : name, value]] : [];
  });
  return {
    page: { url, path, search, title, referrer },
    locale: navigator.language,
    timezone: (timezone ??= Intl.DateTimeFormat().resolvedOptions().timeZone),
    screen: { width, height, density: devicePixelRatio },
    ...(campaign[0] && { campaign: Object.fromEntries(campaign) as object }),
  };
}

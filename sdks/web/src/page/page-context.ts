/** Read once, because that is a third of the cost of a message. */
let timezone: string | undefined;

/** The campaign of `lastQuery`. */
let campaign: object | undefined;
let lastQuery = '';

const campaignNames = ['source', 'medium', 'campaign', 'term', 'content', 'id'];

/** Describes the page as it is now. */
export function pageContext(): Record<string, unknown> {
  const { href: url, pathname: path, search } = location;
  const { title, referrer } = document;
  const { width, height } = screen;
  if (search !== lastQuery) {
    lastQuery = search;
    const query = new URLSearchParams(search);
    const values = campaignNames.flatMap((name) => {
      const value = query.get(`utm_${name}`);
      return value ? [[name === 'campaign' ? 'name' : name, value]] : [];
    });
    campaign = values[0] && (Object.fromEntries(values) as object);
  }
  return {
    page: { url, path, search, title, referrer },
    locale: navigator.language,
    timezone: (timezone ??= Intl.DateTimeFormat().resolvedOptions().timeZone),
    screen: { width, height, density: devicePixelRatio },
    ...(campaign && { campaign }),
  };
}

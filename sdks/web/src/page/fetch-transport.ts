import { type Transport } from '@sluice/sdk-core';

/** @param fetcher of the page; looked up at each request, since pages and tests replace it */
export const fetchTransport = (fetcher: () => typeof fetch): Transport => ({
  send: ({ url, ...request }) => {
    const controller = new AbortController();
    // Cookies would make the service's `*` for origins an error; a redirect is no answer of the service.
    const init = { ...request, redirect: 'error', credentials: 'omit', signal: controller.signal } as const;
    const answered = async () => {
      const answer = await fetcher()(url, init);
      return { status: answer.status, body: await answer.text(), header: (name: string) => answer.headers.get(name) };
    };
    return {
      answer: answered(),
      abort: () => {
        controller.abort();
      },
    };
  },
});

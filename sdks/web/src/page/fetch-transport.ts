import { type Transport } from '@sluice/sdk-core';

export const fetchTransport: Transport = {
  send({ url, ...request }) {
    const controller = new AbortController();
    const answered = async () => {
      // Cookies would make the service's `*` for origins an error; a redirect is not an answer of the service.
      const init = { ...request, redirect: 'error', credentials: 'omit', signal: controller.signal } as const;
      const answer = await fetch(url, init);
      return { status: answer.status, body: await answer.text(), header: (name: string) => answer.headers.get(name) };
    };
    return { answer: answered(), abort: () => controller.abort() };
  },
};

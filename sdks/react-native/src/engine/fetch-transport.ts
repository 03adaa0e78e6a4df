import { type Transport } from '@sluice/sdk-core';

interface Answer {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  text(): Promise<string>;
}
declare const fetch: (url: string, init: object) => Promise<Answer>;
declare const AbortController: (new () => { readonly signal: unknown; abort(): void }) | undefined;

/**
 * Sends by the app's `fetch`. React Native's follows redirects whatever the option says, so the core accepts only
 * answers of the service's form.
 */
export const fetchTransport: Transport = {
  send({ url, method, headers, body }) {
    const controller = typeof AbortController === 'function' ? new AbortController() : undefined;
    const fetchAnswer = async () => {
      const answer = await fetch(url, {
        method,
        headers,
        ...(body !== undefined && { body }),
        credentials: 'omit',
        redirect: 'error',
        ...(controller && { signal: controller.signal }),
      });
      return { status: answer.status, body: await answer.text(), header: (name: string) => answer.headers.get(name) };
    };
    return {
      answer: fetchAnswer(),
      abort() {
        controller?.abort();
      },
    };
  },
};

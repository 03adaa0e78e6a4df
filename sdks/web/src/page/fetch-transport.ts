import { type Exchange, type HttpRequest, type Packed, type Transport } from '@sluice/sdk-core';

type AnyBody = Omit<HttpRequest, 'body'> & { readonly body?: string | Packed };

const send = ({ url, ...request }: AnyBody): Exchange => {
  const controller = new AbortController();
  const fetchAnswer = async () => {
    // Cookies would make the service's `*` for origins an error; a redirect is not an answer of the service.
    const init = { ...request, redirect: 'error', credentials: 'omit', signal: controller.signal } as const;
    const answer = await fetch(url, init);
    return { status: answer.status, body: await answer.text(), header: (name: string) => answer.headers.get(name) };
  };
  return { answer: fetchAnswer(), abort: () => controller.abort() };
};

export const fetchTransport: Transport = { send };

/** Compresses bodies, except in browsers without CompressionStream: Safari before 16.4, Firefox before 113. */
export const packingTransport: Transport = {
  async pack(body) {
    const stream = new Blob([body]).stream().pipeThrough(new CompressionStream('gzip'));
    return new Uint8Array(await new Response(stream).arrayBuffer());
  },
  send: ({ packed, ...request }) =>
    send(packed ? { ...request, body: packed, headers: { ...request.headers, 'Content-Encoding': 'gzip' } } : request),
};

import { type HttpAnswer, type HttpRequest, type Transport } from '@sluice/sdk-core';

/** More than any answer of the service. */
const maxAnswerBytes = 1_048_576;

export interface EndableTransport extends Transport {
  /** Aborts the requests that are under way, and makes no more. */
  end(): void;
}

export function createTransport(): EndableTransport {
  const underWay = new Set<AbortController>();
  let hasEnded = false;
  return {
    send(request) {
      const controller = new AbortController();
      underWay.add(controller);
      if (hasEnded) controller.abort();
      return {
        answer: exchange(request, controller.signal).finally(() => underWay.delete(controller)),
        abort() {
          controller.abort();
        },
      };
    },
    end() {
      hasEnded = true;
      for (const controller of underWay) controller.abort();
    },
  };
}

/** Makes a request. A redirect is not an answer of the service, but says what is wrong. */
async function exchange({ url, method, headers, body }: HttpRequest, signal: AbortSignal): Promise<HttpAnswer> {
  const answer = await fetch(url, {
    method,
    headers,
    signal,
    redirect: 'manual',
    ...(body !== undefined && { body }),
  });
  if (answer.status >= 300 && answer.status < 400) {
    await answer.body?.cancel();
    throw new Error(`redirected to ${redirectTarget(answer.headers.get('location'), url)}`);
  }
  return { status: answer.status, body: await readText(answer), header: (name) => answer.headers.get(name) };
}

/** Origin that a redirect names, without the path, which may have secrets. */
function redirectTarget(location: string | null, base: string): string {
  return URL.canParse(location ?? '', base) ? new URL(location ?? '', base).origin : 'nowhere';
}

async function readText(answer: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of (answer.body ?? []) as AsyncIterable<Uint8Array>) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > maxAnswerBytes) throw new TypeError('the answer is too long');
  }
  return text + decoder.decode();
}

import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { local } from './stack.js';

/** An HTTP answer as received. */
export interface RawAnswer {
  status: number;
  /** Names in lower case. */
  headers: Readonly<Record<string, string>>;
  body: string;
}

export function connectToGateway(url = local().gateway.url): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  return once(socket, 'connect').then(() => socket);
}

/** Sends text or bytes unchanged. Resolves with `answers` answers, or fewer if the peer closes or falls silent. */
export async function exchange(
  request: string | Buffer,
  { url = local().gateway.url, silenceMs = 15_000, answers = 1 } = {},
): Promise<RawAnswer[]> {
  const socket = await connectToGateway(url);
  socket.write(request);
  const received = await readAnswers(socket, answers, silenceMs);
  socket.destroy();
  return received;
}

/** Reads `count` answers from a socket, or fewer if it closes or falls silent. */
export function readAnswers(socket: Socket, count: number, silenceMs = 15_000): Promise<RawAnswer[]> {
  return new Promise((resolve) => {
    let text = '';
    const finish = (): void => {
      clearTimeout(timer);
      socket.off('data', readMore).off('close', finish).off('error', finish);
      resolve(parseAnswers(text));
    };
    const readMore = (chunk: Buffer): void => {
      text += chunk.toString('latin1');
      timer.refresh();
      if (parseAnswers(text).length >= count) finish();
    };
    const timer = setTimeout(finish, silenceMs);
    socket.on('data', readMore).on('close', finish).on('error', finish);
  });
}

/** Parses the complete answers in a text, including interim ones (1xx). */
export function parseAnswers(text: string): RawAnswer[] {
  const answers: RawAnswer[] = [];
  let rest = text;
  for (;;) {
    const end = rest.indexOf('\r\n\r\n');
    if (end < 0) return answers;
    const [statusLine = '', ...lines] = rest.slice(0, end).split('\r\n');
    const headers = Object.fromEntries(
      lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
    );
    const length = Number(headers['content-length'] ?? 0);
    const body = rest.slice(end + 4, end + 4 + length);
    if (body.length < length) return answers;
    answers.push({ status: Number(statusLine.split(' ')[1]), headers, body });
    rest = rest.slice(end + 4 + length);
  }
}

/** Bytes of a POST with the stack's credentials. `headers` replace or add headers; an empty value omits the header. */
export function rawPost(
  endpoint: string,
  body: string | Buffer,
  headers: Record<string, string> = {},
  version = 'HTTP/1.1',
): Buffer {
  const { sourceIdentifier, apiKey } = local().source;
  const allHeaders = {
    host: 'sluice.test',
    authorization: `Bearer ${apiKey}`,
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
    ...headers,
  };
  const lines = Object.entries(allHeaders).filter(([, value]) => value !== '');
  const head = [
    `POST /api/tracker/sdk/${sourceIdentifier}/${endpoint} ${version}`,
    ...lines.map(([name, value]) => `${name}: ${value}`),
  ];
  return Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), Buffer.from(body)]);
}

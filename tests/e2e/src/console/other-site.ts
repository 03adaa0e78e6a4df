import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';

/** A page of another site. The tests give it the scripts of an attacker. */
export class OtherSite {
  private readonly server: Server = createServer((_, response) => {
    response.setHeader('content-type', 'text/html');
    response.end('<!doctype html><title>Another site</title><h1>Another site</h1>');
  });
  private port = 0;

  async start(): Promise<void> {
    await once(this.server.listen(0, '127.0.0.1'), 'listening');
    ({ port: this.port } = this.server.address() as AddressInfo);
  }

  /** The same site as a console on localhost, but another origin: cookies are sent, because they ignore ports. */
  get sameSite(): string {
    return `http://localhost:${this.port}/`;
  }

  get crossSite(): string {
    return `http://127.0.0.1:${this.port}/`;
  }

  async stop(): Promise<void> {
    this.server.close();
    this.server.closeAllConnections();
    await once(this.server, 'close');
  }
}

/** Attacks of a page, as page functions: each resolves with what it could read, or throws. */
export const attacks: Readonly<Record<string, (console: string) => string | Promise<string>>> = {
  'a read': (console) => fetch(`${console}/api/users`, { credentials: 'include' }).then((answer) => answer.text()),
  'a read without CORS': (console) =>
    fetch(`${console}/api/refused`, { credentials: 'include', mode: 'no-cors' }).then((answer) => answer.text()),
  'a change': (console) =>
    fetch(`${console}/api/sources`, {
      method: 'POST',
      credentials: 'include',
      headers: { 'content-type': 'application/json' },
      body: '{"name":"of another site","type":"tracking-api"}',
    }).then((answer) => answer.text()),
  'a change as plain text': (console) =>
    fetch(`${console}/api/sources`, {
      method: 'POST',
      credentials: 'include',
      mode: 'no-cors',
      body: '{"name":"of another site","type":"tracking-api"}',
    }).then((answer) => answer.text()),
  'a beacon': (console) => {
    const body = new Blob(['{"token":"x"}'], { type: 'text/plain' });
    return navigator.sendBeacon(`${console}/api/session/link`, body) ? '' : 'not sent';
  },
  'the stream': (console) =>
    new Promise((resolve) => {
      const source = new EventSource(`${console}/api/live`, { withCredentials: true });
      const end = (text: string): void => {
        source.close();
        resolve(text);
      };
      for (const name of ['message', 'frame', 'servers'])
        source.addEventListener(name, ({ data }: MessageEvent<string>) => end(data));
      source.onopen = () => end('open');
      source.onerror = () => end('');
    }),
  'a frame': async (console) => {
    const frame = Object.assign(document.createElement('iframe'), { src: `${console}/settings?tab=users` });
    document.body.append(frame);
    await new Promise((resolve) => (frame.onload = resolve));
    return frame.contentDocument?.body.innerHTML ?? '';
  },
  'a script': (console) =>
    new Promise((resolve) => {
      const script = Object.assign(document.createElement('script'), { src: `${console}/api/users` });
      script.onload = () => resolve('loaded');
      script.onerror = () => resolve('');
      document.body.append(script);
    }),
  'a picture': (console) =>
    new Promise((resolve) => {
      const picture = Object.assign(new Image(), { src: `${console}/icon.svg` });
      picture.onload = () => resolve('loaded');
      picture.onerror = () => resolve('');
    }),
  'a form': async (console) => {
    const frame = Object.assign(document.createElement('iframe'), { name: 'answer' });
    const attributes = { method: 'post', enctype: 'text/plain', target: 'answer', action: `${console}/api/sources` };
    const form = Object.assign(document.createElement('form'), attributes);
    const name = '{"name":"of another site","type":"tracking-api","x":"';
    form.append(Object.assign(document.createElement('input'), { name, value: '"}' }));
    document.body.append(frame, form);
    form.submit();
    await new Promise((resolve) => (frame.onload = resolve));
    return frame.contentDocument?.body.innerText ?? '';
  },
  'a window': async (console) => {
    const consoleWindow = window.open(`${console}/settings?tab=users`);
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    return consoleWindow?.document.body.innerText ?? '';
  },
};

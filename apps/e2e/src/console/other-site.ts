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

  /** The same site as a console on localhost, of another origin: cookies are sent along, because they know no ports. */
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

/** What a page may try; each resolves with what it has got. Scripts are texts, because this project has no types of the DOM. */
export const attacks: Readonly<Record<string, (console: string) => string>> = {
  'a read': (console) => `fetch('${console}/api/users', { credentials: 'include' }).then((answer) => answer.text())`,
  'a read that asks nobody': (console) =>
    `fetch('${console}/api/refused', { credentials: 'include', mode: 'no-cors' }).then((answer) => answer.text())`,
  'a change': (console) =>
    `fetch('${console}/api/sources', { method: 'POST', credentials: 'include', headers: { 'content-type': 'application/json' },
       body: '{"name":"of another site","type":"tracking-api"}' }).then((answer) => answer.text())`,
  'a change as plain text': (console) =>
    `fetch('${console}/api/sources', { method: 'POST', credentials: 'include', mode: 'no-cors',
       body: '{"name":"of another site","type":"tracking-api"}' }).then((answer) => answer.text())`,
  'a beacon': (console) =>
    `String(navigator.sendBeacon('${console}/api/session/link', new Blob(['{"token":"x"}'], { type: 'text/plain' })) && '')`,
  'the stream': (console) =>
    `new Promise((resolve) => {
       const source = new EventSource('${console}/api/live', { withCredentials: true });
       const end = (text) => { source.close(); resolve(text); };
       for (const name of ['message', 'frame', 'servers']) source.addEventListener(name, ({ data }) => end(data));
       source.onopen = () => end('open');
       source.onerror = () => end('');
     })`,
  'a frame': (console) =>
    `new Promise((resolve) => {
       const frame = document.createElement('iframe');
       frame.onload = () => { try { resolve(frame.contentDocument?.body?.innerHTML ?? ''); } catch { resolve(''); } };
       frame.src = '${console}/settings?tab=users';
       document.body.append(frame);
     })`,
  'a script': (console) =>
    `new Promise((resolve) => {
       const script = document.createElement('script');
       script.onload = () => resolve('loaded');
       script.onerror = () => resolve('');
       script.src = '${console}/api/users';
       document.body.append(script);
     })`,
  'a picture': (console) =>
    `new Promise((resolve) => {
       const picture = new Image();
       picture.onload = () => resolve('loaded');
       picture.onerror = () => resolve('');
       picture.src = '${console}/icon.svg';
     })`,
  'a form': (console) =>
    `new Promise((resolve) => {
       document.body.insertAdjacentHTML('beforeend',
         '<iframe name="answer"></iframe><form method="post" enctype="text/plain" target="answer"><input name=\\'{"name":"of another site","type":"tracking-api","x":"\\' value=\\'"}\\'></form>');
       const form = document.querySelector('form');
       const frame = document.querySelector('iframe[name="answer"]');
       frame.onload = () => { try { resolve(frame.contentDocument?.body?.innerText ?? ''); } catch { resolve(''); } };
       form.action = '${console}/api/sources';
       form.submit();
     })`,
  'a window': (console) =>
    `new Promise((resolve) => {
       const other = window.open('${console}/settings?tab=users');
       setTimeout(() => { try { resolve(other?.document?.body?.innerText ?? ''); } catch { resolve(''); } }, 1_500);
     })`,
};

import { eventually } from '@sluice/testing';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installedPrograms } from './installed.js';

type Settle = (error: unknown, value: unknown) => void;

/** Settings of a profile: no first page, no traffic of its own, notifications by the desktop. */
const preferences = {
  'marionette.port': 0,
  'browser.shell.checkDefaultBrowser': false,
  'browser.startup.page': 0,
  'datareporting.policy.dataSubmissionEnabled': false,
  'toolkit.telemetry.reportingpolicy.firstRun': false,
  'app.update.enabled': false,
  'network.captive-portal-service.enabled': false,
  'network.connectivity-service.enabled': false,
  'services.settings.server': 'data:,',
  'dom.push.connection.enabled': false,
  'permissions.default.desktop-notification': 1,
  'alerts.useSystemBackend': true,
};

/** A real Firefox, driven by Marionette: https://firefox-source-docs.mozilla.org/testing/marionette/ */
export class Firefox {
  private received = Buffer.alloc(0);
  private readonly waiting = new Map<number, Settle>();
  private lastId = 0;

  private constructor(
    private readonly program: ChildProcess,
    private readonly profile: string,
    private readonly socket: Socket,
  ) {
    socket.on('data', (bytes: Buffer) => this.read(bytes));
  }

  static async launch(env: Readonly<Record<string, string>>): Promise<Firefox> {
    const profile = await mkdtemp(join(tmpdir(), 'sluice-firefox-'));
    const lines = Object.entries(preferences).map(([name, value]) => `user_pref("${name}", ${JSON.stringify(value)});`);
    await writeFile(join(profile, 'user.js'), lines.join('\n'));
    // Access to the browser's own scripts lets a test hand it a push message.
    const args = ['--headless', '--no-remote', '--marionette', '--remote-allow-system-access', '--profile', profile];
    const program = spawn(installedPrograms.firefox ?? '', args, { env: { ...process.env, ...env }, stdio: 'ignore' });
    const port = await eventually(async () => Number(await readFile(join(profile, 'MarionetteActivePort'), 'utf8')));
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    const firefox = new Firefox(program, profile, socket);
    await firefox.command('WebDriver:NewSession', { capabilities: { alwaysMatch: {} } });
    return firefox;
  }

  async goto(url: string): Promise<void> {
    await this.command('Marionette:SetContext', { value: 'content' });
    await this.command('WebDriver:Navigate', { url });
  }

  /** Result of a function that runs in the page. */
  async evaluate(pageFunction: () => unknown): Promise<unknown> {
    await this.command('Marionette:SetContext', { value: 'content' });
    return this.run(`return (${pageFunction.toString()})()`);
  }

  /** Hands a push message to the service worker of an origin, as Firefox itself does after it decrypted one. */
  async deliver(origin: string, data: string): Promise<void> {
    await this.command('Marionette:SetContext', { value: 'chrome' });
    await this.run(
      `const principal = Services.scriptSecurityManager.createContentPrincipalFromOrigin(arguments[0]);
      Cc['@mozilla.org/push/Notifier;1'].getService(Ci.nsIPushNotifier)
        .notifyPushWithData(arguments[0] + '/', principal, '', [...new TextEncoder().encode(arguments[1])])`,
      [origin, data],
    );
  }

  async close(): Promise<void> {
    this.socket.destroy();
    this.program.kill();
    if (this.program.exitCode === null && this.program.signalCode === null) await once(this.program, 'exit');
    await rm(this.profile, { recursive: true, force: true, maxRetries: 5 });
  }

  private async run(script: string, args: readonly unknown[] = []): Promise<unknown> {
    const answer = (await this.command('WebDriver:ExecuteScript', { script, args })) as { value: unknown };
    return answer.value;
  }

  private command(name: string, parameters: object): Promise<unknown> {
    const id = ++this.lastId;
    const text = JSON.stringify([0, id, name, parameters]);
    return new Promise((resolve, reject) => {
      this.waiting.set(id, (error, value) => {
        if (error) reject(new Error(`${name}: ${JSON.stringify(error)}`));
        else resolve(value);
      });
      this.socket.write(`${Buffer.byteLength(text)}:${text}`);
    });
  }

  /** Answers are `LENGTH:[1, id, error, value]`. The browser's first message is an object, not an answer. */
  private read(bytes: Buffer): void {
    this.received = Buffer.concat([this.received, bytes]);
    for (;;) {
      const colon = this.received.indexOf(':');
      const end = colon + 1 + Number(this.received.subarray(0, Math.max(colon, 0)).toString());
      if (colon < 1 || this.received.length < end) return;
      const message = JSON.parse(this.received.subarray(colon + 1, end).toString()) as unknown;
      this.received = this.received.subarray(end);
      if (!Array.isArray(message)) continue;
      const [, id, error, value] = message as [number, number, unknown, unknown];
      this.waiting.get(id)?.(error, value);
      this.waiting.delete(id);
    }
  }
}

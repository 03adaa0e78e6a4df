import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installedPrograms } from '../installed.js';
import {
  type BusMessage,
  type BusValue,
  encodeMessage,
  messageTypes,
  type NewMessage,
  readBusMessage,
} from './bus-message.js';

const name = 'org.freedesktop.Notifications';
const path = '/org/freedesktop/Notifications';

/** Notification that a browser asked the desktop to show. */
export interface Shown {
  readonly id: number;
  readonly title: string;
  readonly body: string;
  /** A key and a label for each button, as a flat list. */
  readonly actions: readonly string[];
}

/** A private bus with a notification server, through which a test acts as the user. */
export class Desktop {
  readonly shown: Shown[] = [];
  private received = Buffer.alloc(0);
  private serial = 0;

  private constructor(
    readonly address: string,
    private readonly folder: string,
    private readonly daemon: ChildProcess,
    private readonly socket: Socket,
  ) {}

  static async start(): Promise<Desktop> {
    const folder = await mkdtemp(join(tmpdir(), 'sluice-bus-'));
    const file = join(folder, 'bus');
    const args = ['--session', '--nofork', '--nopidfile', `--address=unix:path=${file}`, '--print-address=1'];
    const daemon = spawn(installedPrograms.bus ?? '', args, { stdio: ['ignore', 'pipe', 'ignore'] });
    await once(daemon.stdout, 'data');
    const socket = connect(file);
    await once(socket, 'connect');
    const desktop = new Desktop(`unix:path=${file}`, folder, daemon, socket);
    await desktop.begin();
    return desktop;
  }

  /** The user taps the notification, or a button of it by its label. */
  click({ id, actions }: Shown, label?: string): void {
    const actionIndex = label === undefined ? -1 : actions.indexOf(label);
    this.emit('ActionInvoked', [id, actions[actionIndex - 1] ?? 'default']);
  }

  /** The user dismisses the notification. */
  dismiss({ id }: Shown): void {
    const byTheUser = 2;
    this.emit('NotificationClosed', [id, byTheUser]);
  }

  async stop(): Promise<void> {
    this.socket.destroy();
    this.daemon.kill();
    if (this.daemon.exitCode === null) await once(this.daemon, 'exit');
    await rm(this.folder, { recursive: true, force: true });
  }

  private async begin(): Promise<void> {
    const user = Buffer.from(String(process.getuid?.() ?? 0)).toString('hex');
    this.socket.write(`\0AUTH EXTERNAL ${user}\r\n`);
    const [answer] = (await once(this.socket, 'data')) as [Buffer];
    if (!answer.toString().startsWith('OK')) throw new Error(`the bus answered ${answer.toString()}`);
    this.socket.write('BEGIN\r\n');
    this.socket.on('data', (bytes: Buffer) => this.read(bytes));
    const bus = {
      path: '/org/freedesktop/DBus',
      interface: 'org.freedesktop.DBus',
      destination: 'org.freedesktop.DBus',
    };
    this.send({ type: messageTypes.call, ...bus, member: 'Hello' });
    this.send({ type: messageTypes.call, ...bus, member: 'RequestName', values: [name, 0] });
  }

  private read(bytes: Buffer): void {
    this.received = Buffer.concat([this.received, bytes]);
    for (let next = readBusMessage(this.received); next; next = readBusMessage(this.received)) {
      this.received = this.received.subarray(next.length);
      if (next.message.type === messageTypes.call) this.answer(next.message);
    }
  }

  private answer(message: BusMessage): void {
    const { serial: replySerial, sender: destination } = message;
    this.send({ type: messageTypes.answer, replySerial, destination, values: this.answerCall(message) });
  }

  private answerCall({ member, body }: BusMessage): BusValue[] {
    switch (member) {
      case 'GetCapabilities':
        return [['actions', 'body', 'persistence']];
      case 'GetServerInformation':
        return ['desktop', 'sluice', '1', '1.2'];
      case 'Notify':
        return [this.show(body)];
      case 'CloseNotification': {
        const byItsApplication = 3;
        this.emit('NotificationClosed', [body.number(), byItsApplication]);
        return [];
      }
      default:
        return [];
    }
  }

  private show(body: BusMessage['body']): number {
    body.text();
    const id = body.number() || this.shown.length + 1;
    body.text();
    this.shown.push({ id, title: body.text(), body: body.text(), actions: body.texts() });
    return id;
  }

  private emit(member: string, values: BusValue[]): void {
    this.send({ type: messageTypes.signal, path, interface: name, member, values });
  }

  private send(message: NewMessage): void {
    this.socket.write(encodeMessage(++this.serial, message));
  }
}

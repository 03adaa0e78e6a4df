/** Command of a server and its readiness check. The same spec can restart a server that died. */
export interface ServerSpec {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  /** Variables added to the environment of this process. */
  readonly env?: Readonly<Record<string, string>>;
  /** Port of 127.0.0.1 on which it listens. The server does not start while another process uses the port. */
  readonly port?: number;
  /** File to which stdout and stderr are appended. */
  readonly logFile: string;
  /** Makes standard input a pipe without data that ends when this process ends in any way. */
  readonly lifeline?: boolean;
  /** Called repeatedly; must answer within about a second. */
  isReady(): Promise<boolean>;
}

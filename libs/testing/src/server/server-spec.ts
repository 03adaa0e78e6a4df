/** How to run one server, and how to tell that it answers. The same spec starts it again after it died. */
export interface ServerSpec {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  /** Added to the environment of this process. */
  readonly env?: Readonly<Record<string, string>>;
  /** The port of 127.0.0.1 it listens on. It is not started while another process has it. */
  readonly port?: number;
  /** Gets stdout and stderr, appended. */
  readonly logFile: string;
  /** Standard input is a pipe that ends when this process ends, however it ends. Nothing is ever written to it. */
  readonly lifeline?: boolean;
  /** Asked again and again; must answer within a second or so. */
  isReady(): Promise<boolean>;
}

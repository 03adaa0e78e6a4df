/** Lets a number of pieces of work run at once; the others wait in line. */
export class Slots {
  private readonly waiting: (() => void)[] = [];

  constructor(private free: number) {}

  /** Resolves when one is free, with what frees it again; to call that twice does nothing. */
  async take(): Promise<() => void> {
    if (this.free > 0) this.free -= 1;
    else await new Promise<void>((resolve) => this.waiting.push(resolve));
    let isTaken = true;
    return () => {
      if (isTaken) this.pass();
      isTaken = false;
    };
  }

  private pass(): void {
    const next = this.waiting.shift();
    if (next) next();
    else this.free += 1;
  }
}

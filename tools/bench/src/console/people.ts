import { type ConsolePerson } from '@sluice/testing';

export { ConsolePerson as Person } from '@sluice/testing';

interface Seen {
  rows: { requestId: string }[];
  refused: { requestId: string }[];
}

/** One open live view. A stuck one reads nothing. */
export class View {
  /** Time at which a request was seen first, by its id. */
  readonly seen = new Map<string, number>();
  private readonly stop = new AbortController();

  static async open(person: ConsolePerson, isStuck = false, query = ''): Promise<View> {
    const view = new View();
    const answer = await person.send('GET', `/api/live${query}`, { signal: view.stop.signal });
    if (!answer.ok) throw new Error(`GET /api/live: ${answer.status}`);
    if (!isStuck) void view.read(answer).catch(() => undefined);
    return view;
  }

  close(): void {
    this.stop.abort();
  }

  private async read({ body }: Response): Promise<void> {
    let text = '';
    const decoder = new TextDecoder();
    for await (const chunk of body ?? []) {
      text += decoder.decode(chunk as Uint8Array, { stream: true });
      const events = text.split('\n\n');
      text = events.pop() ?? '';
      for (const event of events) if (event.startsWith('event: frame')) this.take(event);
    }
  }

  private take(event: string): void {
    const { rows, refused } = JSON.parse(event.slice(event.indexOf('data: ') + 6)) as Seen;
    const now = performance.now();
    for (const { requestId } of [...rows, ...refused]) if (!this.seen.has(requestId)) this.seen.set(requestId, now);
  }
}

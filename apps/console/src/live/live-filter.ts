import { type LiveRow } from '@sluice/console-api';
import { type TappedMessage } from '@sluice/kafka';
import { type SourceRegistry } from '@sluice/sources';
import { type PayloadView } from '../payload/masks.js';

/** Filter of a viewer; fixed operators only. */
export interface LiveFilter {
  topics: readonly string[];
  source?: string;
  user?: string;
  event?: string;
}

/** A message. Its value is parsed, and its row is written, once for all viewers who see the same. */
export class LiveMessage {
  private parsed: Record<string, unknown> | undefined;
  private readonly rows = new Map<PayloadView, string>();

  constructor(
    readonly message: TappedMessage,
    private readonly names: Pick<SourceRegistry, 'nameOf'>,
  ) {}

  get fields(): Record<string, unknown> {
    this.parsed ??= parse(this.message.value);
    return this.parsed;
  }

  /** Makes the cheap tests first; the key begins with the source. */
  matches({ topics, source, user, event }: LiveFilter): boolean {
    if (!topics.includes(this.message.topic)) return false;
    if (source !== undefined && !this.message.key.startsWith(`${source}:`) && this.text('source_id') !== source)
      return false;
    if (user !== undefined && this.text('user_id') !== user && this.text('anonymous_id') !== user) return false;
    return event === undefined || this.name === event;
  }

  /** JSON text of its row. */
  rowFor(view: PayloadView): string {
    let row = this.rows.get(view);
    if (row === undefined) {
      row = JSON.stringify(this.toRow(view));
      this.rows.set(view, row);
    }
    return row;
  }

  private toRow(view: PayloadView): LiveRow {
    const payload = view.show(this.message.value.toString());
    const { topic, partition, offset, timestamp, requestId } = this.message;
    const [source, receivedAt] = [this.text('source_id'), this.text('received_at')];
    const scope = { source, at: receivedAt };
    return {
      topic,
      partition,
      offset,
      at: new Date(timestamp).toISOString(),
      requestId,
      payload,
      receivedAt,
      sourceIdentifier: source,
      sourceName: this.names.nameOf(source),
      event: view.value('event', this.name, scope),
      user:
        view.value('user_id', this.text('user_id'), scope) ||
        view.value('anonymous_id', this.text('anonymous_id'), scope),
    };
  }

  private get name(): string {
    return this.text('event') || (this.message.topic.split('.')[1] ?? '');
  }

  private text(name: string): string {
    const value = this.fields[name];
    return typeof value === 'string' ? value : '';
  }
}

function parse(value: Buffer): Record<string, unknown> {
  try {
    const parsed: unknown = JSON.parse(value.toString());
    return typeof parsed === 'object' && parsed !== null ? (parsed as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

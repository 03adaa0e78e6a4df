import { type IdentifyMessage, type TrackMessage } from '@sluice/contracts';
import { type ShopCall } from '../call.js';
import { type Happening } from './happening.js';

/** The queue of an SDK or an import, in which messages wait for a batch. */
export class ShopOutbox {
  private tracks: TrackMessage[] = [];
  private identifies: IdentifyMessage[] = [];

  /** @param sendsAtOnce true if identify messages and events of the back end do not wait for a batch */
  constructor(
    private readonly size: number,
    private readonly sendsAtOnce: boolean,
  ) {}

  /** Queues the message and returns the requests to send now. */
  put(happening: Happening): ShopCall[] {
    if (happening.type === 'call') return [happening.call];
    if (happening.type === 'identify') {
      this.identifies.push(happening.message);
      return this.sendsAtOnce || this.identifies.length >= this.size ? this.flush() : [];
    }
    if (this.sendsAtOnce && happening.sentBy === 'back end') return [{ api: 'track', list: [happening.message] }];
    this.tracks.push(happening.message);
    return this.tracks.length >= this.size ? this.flush() : [];
  }

  flush(): ShopCall[] {
    const [tracks, identifies] = [this.tracks, this.identifies];
    [this.tracks, this.identifies] = [[], []];
    return [
      ...(tracks.length > 0 ? [{ api: 'track', list: tracks } as const] : []),
      ...(identifies.length > 0 ? [{ api: 'identify', list: identifies } as const] : []),
    ];
  }
}

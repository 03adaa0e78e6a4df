import { type IdentifyMessage, type TrackMessage } from '@sluice/contracts';
import { type Call } from '../call.js';
import { type Happening } from './happening.js';

/** The queue of an SDK or an import, in which messages wait for a batch. */
export class ShopOutbox {
  private tracks: TrackMessage[] = [];
  private identifies: IdentifyMessage[] = [];

  /** @param atOnce true if identify messages and events of the back end do not wait for a batch */
  constructor(
    private readonly size: number,
    private readonly atOnce: boolean,
  ) {}

  /** Queues the message and returns the requests to send now. */
  put(happening: Happening): Call[] {
    if (happening.type === 'call') return [happening.call];
    if (happening.type === 'identify') {
      this.identifies.push(happening.message);
      return this.atOnce || this.identifies.length >= this.size ? this.flush() : [];
    }
    if (this.atOnce && happening.sentBy === 'back end') return [{ api: 'track', list: [happening.message] }];
    this.tracks.push(happening.message);
    return this.tracks.length >= this.size ? this.flush() : [];
  }

  flush(): Call[] {
    const [tracks, identifies] = [this.tracks, this.identifies];
    [this.tracks, this.identifies] = [[], []];
    return [
      ...(tracks.length > 0 ? [{ api: 'track', list: tracks } as const] : []),
      ...(identifies.length > 0 ? [{ api: 'identify', list: identifies } as const] : []),
    ];
  }
}

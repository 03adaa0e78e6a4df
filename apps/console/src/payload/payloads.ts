import { Injectable } from '@nestjs/common';
import { type MaskedJson } from '@sluice/console-api';
import { ConsoleReader } from '@sluice/operations';
import { type CurrentUser } from '../session/current-user.js';
import { Masks, type PayloadView, usualMasks } from './masks.js';

/** Shows payloads as their reader may see them. */
@Injectable()
export class Payloads {
  private masks: Masks | undefined;

  constructor(
    private readonly reader: ConsoleReader,
    private readonly secret: string,
  ) {}

  get paths(): readonly string[] {
    return this.reader.state.get('masks', 'all')?.paths ?? usualMasks;
  }

  show(text: string, { payloads }: Pick<CurrentUser, 'payloads'>): MaskedJson {
    return this.current().show(text, !payloads);
  }

  /** The view of all who may see the same. It is another one after the masks were changed. */
  viewOf({ payloads }: Pick<CurrentUser, 'payloads'>): PayloadView {
    const { plain, masked } = this.current();
    return payloads ? plain : masked;
  }

  private current(): Masks {
    const { paths } = this;
    if (this.masks?.paths !== paths) this.masks = new Masks(paths, this.secret);
    return this.masks;
  }
}

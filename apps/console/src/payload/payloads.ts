import { Injectable } from '@nestjs/common';
import { type MaskedJson, type ValuePattern } from '@sluice/console-api';
import { ConsoleReader } from '@sluice/operations';
import { type CurrentUser } from '../session/current-user.js';
import { notAllowed } from '../http/console-error.js';
import { defaultMasks } from './default-masks.js';
import { PayloadMasks, type PayloadView, type TagScope } from './masks.js';
import { valuePatterns } from './value-patterns.js';

/** Shows payloads as their reader may see them. */
@Injectable()
export class Payloads {
  private masks: PayloadMasks | undefined;
  private maskedValues: readonly ValuePattern[] | undefined;

  constructor(
    private readonly reader: ConsoleReader,
    private readonly secret: string,
  ) {}

  get paths(): readonly string[] {
    return this.reader.state.get('masks', 'all')?.paths ?? defaultMasks;
  }

  get values(): readonly ValuePattern[] {
    return this.reader.state.get('masks', 'all')?.values ?? valuePatterns;
  }

  show(text: string, user: Pick<CurrentUser, 'payloads'>, scope?: TagScope): MaskedJson {
    return this.chooseView(user).show(text, scope);
  }

  /** The view that all users with the same right share. A change of the masks makes another one. */
  chooseView({ payloads }: Pick<CurrentUser, 'payloads'>): PayloadView {
    const { plain, masked } = this.current();
    return payloads ? plain : masked;
  }

  /** The view of lists, which are masked for everybody, so that reading them is not recorded. */
  get masked(): PayloadView {
    return this.current().masked;
  }

  /** @throws ConsoleError 403 when the answer to a filter would reveal to the user what is masked for them. */
  assertMayFilter(
    user: Pick<CurrentUser, 'payloads'>,
    filters: readonly (readonly [name: string, value: string | undefined])[],
  ): void {
    const view = this.chooseView(user);
    const hidden = filters.find(([name, value]) => value !== undefined && view.hides(name, value));
    if (hidden) throw notAllowed(`Values of ${hidden[0]} are masked for you, so they cannot be filtered by.`);
  }

  private current(): PayloadMasks {
    const { paths, values } = this;
    if (this.masks?.paths !== paths || this.maskedValues !== values) {
      this.masks = new PayloadMasks(paths, this.secret, values);
      this.maskedValues = values;
    }
    return this.masks;
  }
}

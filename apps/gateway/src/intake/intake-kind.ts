import { type Topic } from '@sluice/contracts';
import { type MessageType, type PlanVerdict, type Report } from '@sluice/messages';
import { type IntakeItem } from './intake-item.js';
import { type KeyedRow, type OutgoingRow } from './outgoing-row.js';
import { type Planned } from './planned.js';
import { type SourceRequest } from './source-request.js';

/** Definition of a kind of message for the intake. */
export interface IntakeKind<T extends object> {
  type: MessageType<T>;
  topic: Topic;
  /** Returns undefined when a value does not fit its column; the report says why. */
  toRow: (
    message: T,
    messageId: string,
    request: SourceRequest,
    verdict: PlanVerdict | undefined,
    item: IntakeItem,
    report: Report,
  ) => KeyedRow | undefined;
  /** Whether the properties are the traits of a group, for which rules of traits hold too. */
  isOfGroup?: boolean;
  /** Parts of these messages that tracking plans judge; undefined when no plan applies to them. */
  planned?: Planned<T>;
  /** Returns further rows of a taken message; they are acknowledged together with its row. */
  extraRows?: (message: T, request: SourceRequest) => OutgoingRow[];
}

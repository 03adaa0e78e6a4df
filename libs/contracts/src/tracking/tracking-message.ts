import { IsDefined, ValidateIf } from 'class-validator';
import { IsDateTime, IsFreeForm, IsPersonId, Optional } from '../fields/constraints.js';

/** Any JSON object a client may send; its values are bounded when the row is shaped (design §2). */
export type FreeForm = Record<string, unknown>;

/** What identify and track messages have in common. Source: interface §2.2, §2.3. */
export class TrackingMessage {
  // Checked when it is there, and required when there is no anonymousId.
  @ValidateIf((message: TrackingMessage) => isPresent(message.userId) || !isPresent(message.anonymousId))
  @IsDefined({ message: 'userId or anonymousId is required' })
  @IsPersonId()
  userId?: string | null;

  @Optional()
  @IsPersonId()
  anonymousId?: string | null;

  @Optional()
  @IsFreeForm()
  context?: FreeForm | null;

  /** When it took place; the server's clock if left out. */
  @Optional()
  @IsDateTime()
  timestamp?: string | null;
}

const isPresent = (value: unknown): boolean => value !== undefined && value !== null;

import { type FreeForm } from './tracking-message.js';

/** Columns of every row that name its origin: docs/tables.md#columns-of-every-table. */
export interface RowOrigin {
  source_id: string;
  /** The `X-Request-Id` that the client was answered with. */
  request_id: string;
  /** Arrival at the gateway, ISO 8601 UTC. */
  received_at: string;
}

interface TrackingRow extends RowOrigin {
  /** UUID; the same for every copy of one message. */
  message_id: string;
  /** A column whose value is undefined is left out of the message. */
  user_id: string | undefined;
  anonymous_id: string | undefined;
  /** When it took place, ISO 8601 UTC. */
  timestamp: string;
  /** Text of the client's user agent, at most 256 characters. */
  user_agent?: string | undefined;
  /** Two capital letters, as the operator's edge named the country of the request. */
  country?: string | undefined;
  /** Version of the tracking plan that judged the message; undefined when none did. */
  plan_version?: number | undefined;
  /** Rule and path of each violation of the plan; undefined when there is none. */
  violations?: readonly string[] | undefined;
  context: FreeForm | undefined;
}

/** A row of the table `events`: the value of a message in `tracking.track.v1`. */
export interface EventRow extends TrackingRow {
  event: string;
  /** The products that the properties name, each once; undefined in rows of earlier gateways. */
  product_ids?: readonly string[] | undefined;
  properties: FreeForm | undefined;
}

/** A row of the table `identifies`: the value of a message in `tracking.identify.v1`. */
export interface IdentifyRow extends TrackingRow {
  traits: FreeForm | undefined;
}

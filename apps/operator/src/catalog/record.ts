import { type Problem } from './sync-api.js';

/** One entity of a file. */
export interface CatalogRecord {
  /** Where it stands in the file, from 1; of several lines the last. */
  line: number;
  /** The entity as JSON, every digit as it stands in the file. */
  json: string;
  /** Its id, or undefined where none can be read: then the gateway will refuse it. */
  id: string | undefined;
  /** Why it is refused without being sent. */
  problems?: Problem[];
}

import { type DeletionRow, parseDateTime, type StateRow, type Topic } from '@sluice/contracts';
import { type MessageType, type Report } from '@sluice/messages';
import { type IntakeItem } from '../intake/intake-item.js';
import { type IntakeKind } from '../intake/intake-kind.js';
import { rowOrigin, type SourceRequest } from '../intake/source-request.js';
import { type Versions } from './state-versions.js';

/** An entity as its client sent it. */
export interface SentEntity {
  request: SourceRequest;
  item: IntakeItem;
}

/** A message about an entity. */
interface EntityMessage {
  updatedAt?: string | null;
}

/** Definition of one type of catalog entity; everything else is shared by all types. */
export interface EntityDefinition<T extends EntityMessage, Columns extends object, D extends EntityMessage> {
  type: MessageType<T>;
  topic: CatalogTopic;
  /** Identifies the entity within its source. All its messages go to one partition, in the order of their arrival. */
  idOf: (message: T) => string;
  /** Returns undefined when a value does not fit its column; the report says why. */
  toColumns: (message: T, sent: SentEntity, report: Report) => Columns | undefined;
  deletion: MessageType<D>;
  /** The column of the id, and the id. */
  toDeletedId: (message: D) => readonly [column: keyof Columns & string, id: string];
}

/** A topic that also takes deletions. */
type CatalogTopic = Topic & Required<Pick<Topic, 'deletionContract'>>;

/** Makes an entity a kind of message for the intake: each message becomes a row with its own version. */
export const makeIntakeKind = <T extends EntityMessage, Columns extends object, D extends EntityMessage>(
  { type, topic, idOf, toColumns }: EntityDefinition<T, Columns, D>,
  versions: Versions,
): IntakeKind<T> => ({
  type,
  topic,
  toRow: (message, messageId, request, _verdict, item, report) => {
    const columns = toColumns(message, { request, item }, report);
    return (
      columns && {
        key: makeKey(request, idOf(message)),
        row: { ...rowOrigin(request), ...stateColumns(message, messageId, versions), ...columns },
      }
    );
  },
});

/** Makes the deletion of an entity a kind of message: a row that is a state of the entity like any other. */
export const makeDeletionKind = <T extends EntityMessage, Columns extends object, D extends EntityMessage>(
  { topic, deletion, toDeletedId }: EntityDefinition<T, Columns, D>,
  versions: Versions,
): IntakeKind<D> => ({
  type: deletion,
  topic: { name: topic.name, contract: topic.deletionContract },
  toRow: (message, messageId, request) => {
    const [column, id] = toDeletedId(message);
    const deleted: DeletionRow = { is_deleted: true };
    return {
      key: makeKey(request, id),
      row: { ...rowOrigin(request), ...stateColumns(message, messageId, versions), [column]: id, ...deleted },
    };
  },
});

const makeKey = ({ sourceIdentifier }: SourceRequest, id: string): string => `${sourceIdentifier}:${id}`;

/** Must begin with the id and the version: consumers look for them at the beginning of a row. */
function stateColumns({ updatedAt }: EntityMessage, messageId: string, versions: Versions): StateRow {
  const time = updatedAt ? parseDateTime(updatedAt) : undefined;
  return {
    message_id: messageId,
    version: versions.next(time),
    ...(time !== undefined && { updated_at: new Date(time).toISOString() }),
  };
}

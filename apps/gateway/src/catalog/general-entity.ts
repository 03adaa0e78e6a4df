import { GeneralEntity, GeneralEntityDeletion, type GeneralEntityRow, generalEntityTopic } from '@sluice/contracts';
import { type EntityDefinition } from './entity.js';

/** An entity of any other type becomes a row of `general_entities`. */
export const generalEntity: EntityDefinition<GeneralEntity, GeneralEntityRow, GeneralEntityDeletion> = {
  type: GeneralEntity,
  topic: generalEntityTopic,
  idOf: ({ id }) => id,
  toColumns: ({ id, type, data }) => ({ id, type, data }),
  deletion: GeneralEntityDeletion,
  toDeletedId: ({ id }) => ['id', id],
};

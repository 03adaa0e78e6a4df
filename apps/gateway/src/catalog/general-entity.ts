import { GeneralEntity, type GeneralEntityRow, generalEntityTopic } from '@sluice/contracts';
import { type Entity } from './entity.js';

/** An entity of any other type becomes a row of `general_entities`. */
export const generalEntity: Entity<GeneralEntity, GeneralEntityRow> = {
  type: GeneralEntity,
  topic: generalEntityTopic,
  idOf: ({ id }) => id,
  toColumns: ({ id, type, data }) => ({ id, type, data }),
};

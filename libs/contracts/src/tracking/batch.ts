import { ruleDecorator } from '../fields/rule.js';

const maxItems = 100;

const IsListOfMessages = (): PropertyDecorator =>
  ruleDecorator({
    name: 'isListOfMessages',
    test: (value) => Array.isArray(value) && value.length >= 1 && value.length <= maxItems,
    schema: { type: 'array', minItems: 1, maxItems },
    mustBe: `an array of 1 to ${maxItems} items`,
  });

/** The envelope of docs/api.md#batches. Each item is checked as a message of its own. */
export class BatchEnvelope {
  @IsListOfMessages()
  list!: unknown[];
}

import { ArrayMaxSize, ArrayMinSize, IsArray } from 'class-validator';

/** The envelope of trackBatch and identifyBatch; each item is checked as a message of its own. Source: interface §2.4. */
export class Batch<Message> {
  @IsArray({ message: 'list must be an array of 1 to 100 items' })
  @ArrayMinSize(1, { message: 'list must have 1 to 100 items' })
  @ArrayMaxSize(100, { message: 'list must have 1 to 100 items' })
  list!: Message[];
}

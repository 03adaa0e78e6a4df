/**
 * A permanent failure: the content is at fault, so no retry can fix it. A retry may fix every other error. Sluice
 * decides by this type alone and never reads the text of a message.
 */
export class FinalError extends Error {
  override readonly name = 'FinalError';
}

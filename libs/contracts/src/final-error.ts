/**
 * A failure that no retry can help: the content is at fault, not the moment. Everything else thrown is worth a retry.
 * The one thing asked of an error anywhere in Sluice; message texts are never read to decide it.
 */
export class FinalError extends Error {
  override readonly name = 'FinalError';
}

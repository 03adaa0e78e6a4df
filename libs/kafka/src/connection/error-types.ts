/** Kafka's names of an error and its causes, as kafkajs gives them. */
export function listErrorTypes(error: unknown): string[] {
  const types: string[] = [];
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const { type } = cause as { type?: unknown };
    if (typeof type === 'string') types.push(type);
  }
  return types;
}

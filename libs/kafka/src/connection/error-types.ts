/** Kafka's names of an error and its causes, as kafkajs gives them. */
export function errorTypesOf(error: unknown): string[] {
  const types: string[] = [];
  for (let one = error; one instanceof Error; one = one.cause) {
    const { type } = one as { type?: unknown };
    if (typeof type === 'string') types.push(type);
  }
  return types;
}

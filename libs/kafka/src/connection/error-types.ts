/** Kafka's names for an error and what caused it, as kafkajs gives them. */
export function typesOf(error: unknown): string[] {
  const types: string[] = [];
  for (let one = error; one instanceof Error; one = one.cause) {
    const { type } = one as { type?: unknown };
    if (typeof type === 'string') types.push(type);
  }
  return types;
}

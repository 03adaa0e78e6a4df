/** One more address of a broker, for clients that encrypt or sign in. */
export interface Listener {
  readonly protocol: 'SSL' | 'SASL_SSL';
  readonly port: number;
  /** Kafka's properties of this listener, without the prefix `listener.name.<name>.`. */
  readonly properties: Readonly<Record<string, string>>;
}

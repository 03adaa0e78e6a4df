/** One event in a request, as the page numbered it, under the id that its vendor deduplicates by. */
export interface SentEvent {
  readonly n: number;
  readonly id: string;
}

export interface SentRequest {
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Text of the body, after decompression. */
  readonly body: string;
}

/** An SDK as the run needs to know it. */
export interface Sdk {
  readonly name: string;
  readonly packageName: string;
  /** Its script is `published/pages/<page>.js`. */
  readonly page: string;
  /** Whether the page sets options that the vendor documents, with which fewer events are lost. */
  readonly isTuned: boolean;
  /** Path of the endpoint that takes events. */
  readonly path: RegExp;
  /** Body of the answer that takes a request. */
  readonly accepted: string;
  /** Body of a refusal, as the vendor words it. */
  refusal(status: number): string;
  eventsOf(request: SentRequest): SentEvent[];
}

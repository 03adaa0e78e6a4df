/** Anything that can be asked to finish its work and stop: a Nest application is one. */
export interface Running {
  close(): Promise<void>;
}

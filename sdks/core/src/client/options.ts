import { type Plugin } from './client.js';
import { maxMessageBytes } from '../message/free-form.js';
import { type Consent } from './consent.js';
import { type SluiceError } from './sluice-error.js';

export interface ClientOptions {
  readonly credentials: { readonly apiKey: string; readonly sourceIdentifier: string };
  /** `https://host`, followed by the path below which the API is served, if any. */
  readonly host: string;
  /** Address of the events, taken whole in place of `host` and the path after it: an alias that the operator chose. */
  readonly eventsPath?: string | undefined;
  readonly consent?: Consent | undefined;
  /** Messages per batch: 1 to 100, by default 20. */
  readonly flushAt?: number | undefined;
  /** Milliseconds after which a batch is sent; by default 2,000. */
  readonly flushInterval?: number | undefined;
  /** Milliseconds after its first try at which a batch is given up; by default 7 days, on React Native 30. */
  readonly maxAge?: number | undefined;
  readonly errorHandler?: ((error: SluiceError) => void) | undefined;
  readonly debug?: boolean | undefined;
  readonly plugins?: readonly Plugin[] | undefined;
  /** Limits of the queue; by default 10,000 messages and 10 MiB (2 MiB in an asynchronous store). */
  readonly maxMessages?: number | undefined;
  readonly maxBytes?: number | undefined;
  /** Bytes per request; by default 48 KiB, at most the service's limit of 800 KiB. */
  readonly maxBatchBytes?: number | undefined;
}

export interface Settings {
  readonly apiKey: string;
  readonly sourceIdentifier: string;
  /** Destination of the batches: a host, or a whole address of events, which ends with a slash. */
  readonly host: string;
  readonly flushAt: number;
  readonly flushInterval: number;
  readonly maxAge: number;
  readonly maxMessages: number;
  readonly maxBytes: number;
  readonly maxBatchBytes: number;
}

const kib = 1_024;

/** The options with defaults; a credential or host that is not given is blank. */
export function readClientSettings(options: ClientOptions): Settings {
  const { apiKey, sourceIdentifier } = (options as Partial<ClientOptions>).credentials ?? {};
  const eventsPath = normalizeAddress(options.eventsPath);
  return {
    apiKey: trimText(apiKey),
    sourceIdentifier: trimText(sourceIdentifier),
    host: eventsPath ? `${eventsPath}/` : normalizeAddress(options.host),
    flushAt: limitOption(1, options.flushAt, 100, 20),
    flushInterval: limitOption(0, options.flushInterval, 3_600_000, 2_000),
    maxAge: limitOption(0, options.maxAge, Infinity, 7 * 86_400_000),
    maxMessages: limitOption(1, options.maxMessages, Infinity, 10_000),
    maxBytes: limitOption(1, options.maxBytes, Infinity, 10 * kib * kib),
    maxBatchBytes: limitOption(maxMessageBytes + kib, options.maxBatchBytes, 800 * kib, 48 * kib),
  };
}

/** An address with its scheme and without slashes at its end; blank when it is not given. */
function normalizeAddress(address: unknown): string {
  const text = trimText(address);
  const [scheme] = /^https?:\/\//i.exec(text) ?? [''];
  return text && `${scheme.toLowerCase() || 'https://'}${text.slice(scheme.length)}`.replace(/\/+$/, '');
}

const trimText = (value: unknown): string => (typeof value === 'string' ? value.trim() : '');

/** A value below the range, or none, is the default. */
const limitOption = (min: number, value: number | undefined, max: number, fallback: number): number =>
  value !== undefined && value >= min ? Math.min(max, value) : fallback;

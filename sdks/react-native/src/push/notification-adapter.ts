import { type Interaction, type PushNotification } from '@sluice/sdk-core';

/** A notification that an adapter shows. */
export interface ShownNotification extends Pick<PushNotification, 'id' | 'title' | 'body' | 'image' | 'actions'> {
  /** The payload as texts. The adapter attaches it and gives it back when the user acts. */
  readonly data: Readonly<Record<string, string>>;
}

/** An event of a library, as its adapter reads it. */
export interface ReadEvent {
  readonly data: unknown;
  readonly interaction: 'clicked' | 'closed';
  /** 0 for the body, else the position of the button. */
  readonly button?: number;
}

/** A library that shows local notifications. */
export interface NotificationAdapter {
  /** Shows a notification. Rejects or throws if it could not. */
  show(notification: ShownNotification): unknown;
  /** Reads an event of the library. Null for an event of another kind, or about a notification of another sender. */
  read(event: unknown): ReadEvent | null;
  /** Calls the listener with events in the foreground and in the background. */
  subscribe?(listener: (event: unknown) => Promise<unknown>): void;
  /** The event that launched the app, if one did. */
  initial?(): Promise<unknown>;
}

/** An action of the user on a notification. */
export interface NotificationInteraction {
  /** The notification's tracking token. */
  readonly id: string;
  readonly interaction: Interaction;
  /** The button that was tapped: `1`, `2` or `3`. */
  readonly actionId?: string;
  /** Target of the body or the button that was tapped. */
  readonly url?: string;
  /** The texts that the campaign gave the notification for the app. */
  readonly customData: Readonly<Record<string, string>>;
}

/**
 * `pending`: messages wait in memory; nothing is read, written or sent. `denied`: queue and identity are erased, and
 * calls do nothing.
 */
export type Consent = 'granted' | 'pending' | 'denied';

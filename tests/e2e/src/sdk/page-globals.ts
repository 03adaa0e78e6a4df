import { type createClient, type SluiceErrorCode, type WebClient } from '@sluice/web';
import { type push } from '@sluice/web/push';

// Page functions run in a browser: they know its globals, these, and their argument; no import and no variable of their
// file. All but `sluice` are properties of `window`, so that code of Node cannot take one for a variable.
declare global {
  /** The global of the bundles. */
  var sluice: WebClient & { createClient: typeof createClient; push: typeof push };

  interface Window {
    /** Codes that errorHandler of the page's client received. */
    errors: SluiceErrorCode[];
  }
}

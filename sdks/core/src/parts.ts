import { type Settings } from './options.js';
import { type Ports } from './ports.js';
import { type Reporter } from './reporter.js';

/** What all parts of a client share: its settings, its platform, its reporter. */
export interface Parts extends Settings, Ports {
  readonly reporter: Reporter;
}

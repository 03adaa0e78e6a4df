import { type Settings } from './options.js';
import { type Ports } from '../ports/ports.js';
import { type Reporter } from './reporter.js';

/** The settings, platform and reporter that all parts of a client share. */
export interface Parts extends Settings, Ports {
  readonly reporter: Reporter;
}

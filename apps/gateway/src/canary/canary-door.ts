import { canarySource } from '@sluice/contracts';
import { createApiKey, isSameKey, type Source } from '@sluice/sources';
import { type GatewayConfig } from '../config.js';

/** The source of the canary, which lives in the memory of its gateway alone: docs/decisions/0114-canary.md. */
export class CanaryDoor {
  readonly key: string;
  private readonly isOpen: boolean;
  private readonly source: Source = {
    sourceIdentifier: canarySource,
    name: 'Canary',
    type: 'tracking-api',
    status: 'enabled',
    createdAt: new Date().toISOString(),
    userAgent: 'drop',
  };

  constructor({ CANARY_INTERVAL_MS, CANARY_KEY }: Pick<GatewayConfig, 'CANARY_INTERVAL_MS' | 'CANARY_KEY'>) {
    this.isOpen = CANARY_INTERVAL_MS > 0;
    this.key = CANARY_KEY === '' ? createApiKey() : CANARY_KEY;
  }

  /** Whether the identifier is the canary's, and the gateway probes itself. */
  isFor(sourceIdentifier: string): boolean {
    return this.isOpen && sourceIdentifier === canarySource;
  }

  /** The source if the key is this gateway's own. */
  enter(apiKey: string): Source | undefined {
    return isSameKey(apiKey, this.key) ? this.source : undefined;
  }
}

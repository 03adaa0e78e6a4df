import { fileURLToPath } from 'node:url';

/** Entry points of Sluice's processes. */
export interface Programs {
  readonly operator: string;
  readonly gateway: string;
  readonly tracking: string;
  readonly catalog: string;
  readonly 'push-interaction': string;
  readonly console: string;
}

const built = (app: string): string => fileURLToPath(new URL(`../../../apps/${app}/dist/main.js`, import.meta.url));

export const builtPrograms: Programs = {
  operator: built('operator'),
  gateway: built('gateway'),
  tracking: built('tracking'),
  catalog: built('catalog'),
  'push-interaction': built('push-interaction'),
  console: built('console'),
};

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

const builtProgram = (app: string): string =>
  fileURLToPath(new URL(`../../../apps/${app}/dist/main.js`, import.meta.url));

export const builtPrograms: Programs = {
  operator: builtProgram('operator'),
  gateway: builtProgram('gateway'),
  tracking: builtProgram('tracking'),
  catalog: builtProgram('catalog'),
  'push-interaction': builtProgram('push-interaction'),
  console: builtProgram('console'),
};

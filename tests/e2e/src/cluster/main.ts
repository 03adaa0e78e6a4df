import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { givenCluster, missingCluster } from './given-cluster.js';

// `npm run test:cluster`. Without a cluster it says so and succeeds, unless CLUSTER_REQUIRED is set.
if (givenCluster()) {
  const args = ['vitest', 'run', '--project', 'cluster', ...process.argv.slice(2)];
  const tests = spawn('npx', args, { stdio: 'inherit', env: { ...process.env, CLUSTER: '1' } });
  const [code] = (await once(tests, 'exit')) as [number | null];
  process.exitCode = code ?? 1;
} else {
  console.log(missingCluster);
  if (process.env['CLUSTER_REQUIRED']) process.exitCode = 1;
}

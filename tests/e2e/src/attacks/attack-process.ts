import { type Order, spinning } from './attack.js';
import { allAttacks } from './list/all-attacks.js';

process.on('disconnect', () => process.exit());
process.once('message', ({ name, target, seconds }: Order) => {
  if (name === spinning) for (;;);
  const attack = allAttacks.find((candidate) => candidate.name === name);
  if (!attack) throw new Error(`there is no attack '${name}'`);
  void attack.run(target, seconds).then(() => process.exit(0));
});

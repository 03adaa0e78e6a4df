import { type Target } from './attack.js';
import { allAttacks } from './list/all-attacks.js';

/** The order of a process that attacks, so that this work is not the ordinary client's. */
export interface Order {
  name: string;
  target: Target;
  seconds: number;
}

process.on('disconnect', () => process.exit());
process.once('message', ({ name, target, seconds }: Order) => {
  const attack = allAttacks.find((one) => one.name === name);
  if (!attack) throw new Error(`there is no attack '${name}'`);
  void attack.run(target, seconds).then(() => process.exit(0));
});

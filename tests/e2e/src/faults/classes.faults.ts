import { afterAll, beforeAll, expect, it } from 'vitest';
import { faultClasses } from './classes/all.js';
import { countLost } from './thousand/balance.js';
import { FaultRun } from './thousand/run.js';
import { Stage } from './thousand/stage.js';

// Runs each class of faults once, in its own window; npm run test:thousand draws many faults that overlap.

let stage: Stage;
let run: FaultRun;

beforeAll(async () => {
  stage = await Stage.start();
  run = new FaultRun(stage, Number(process.env['FAULTS_SEED'] ?? 1));
});
afterAll(() => stage.stop(), 120_000);

it.each(faultClasses)(
  '$name: nothing is lost except reported messages, and nothing is stored twice',
  async (faultClass) => {
    const why = faultClass.unable?.(stage);
    if (why !== undefined) {
      console.log(`left out: ${why}`);
      return;
    }
    const { balances, missingLetters, done, alerts } = await run.window({
      scope: faultClass.scope,
      classes: [faultClass],
    });
    expect(done.map(({ error }) => error)).toEqual([undefined]);
    expect(balances.map((balance) => ({ lost: countLost(balance), doubled: balance.doubled }))).toEqual(
      balances.map(() => ({ lost: 0, doubled: 0 })),
    );
    expect(missingLetters).toEqual([]);
    expect(alerts.filter(({ hasFired }) => !hasFired)).toEqual([]);
  },
  600_000,
);

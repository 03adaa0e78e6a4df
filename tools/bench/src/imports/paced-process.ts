import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { trackMessage } from '../samples.js';
import { type PacedOrder, type PacedResult } from './paced.js';

process.on('disconnect', () => process.exit());
process.once('message', (order: PacedOrder) => {
  void send(order).then((result) => process.send?.(result));
});

/** Sends single events at even distances, however long the answers take. */
async function send({ url, headers, perSecond, seconds }: PacedOrder): Promise<PacedResult> {
  const agent = new Agent({ keepAlive: true });
  const answerMs: number[] = [];
  let failed = 0;
  const post = (body: string): Promise<void> =>
    new Promise((resolve) => {
      const startedAt = performance.now();
      const end = (isTaken: boolean): void => {
        answerMs.push(performance.now() - startedAt);
        if (!isTaken) failed += 1;
        resolve();
      };
      const sent = request(url, { method: 'POST', agent, headers }, (answer) => {
        answer.resume().on('end', () => end(answer.statusCode === 200));
      });
      sent.on('error', () => end(false));
      sent.end(body);
    });
  const startedAt = performance.now();
  const answers: Promise<void>[] = [];
  for (let i = 0; i < perSecond * seconds; i++) {
    const wait = startedAt + (i * 1_000) / perSecond - performance.now();
    if (wait > 0) await sleep(wait);
    answers.push(post(JSON.stringify(trackMessage(i))));
  }
  await Promise.all(answers);
  agent.destroy();
  return { answerMs, failed };
}

import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { invalid, tooMany } from '../http/console-error.js';

const cost = { N: 2 ** 17, r: 8, p: 1 };
const maxmem = 256 * 1024 * 1024;
const keyBytes = 32;
const minPassword = 12;

/** @throws ConsoleError 400 when the password is too short or too long. */
export async function hashPassword(password: string): Promise<string> {
  if (password.length < minPassword || password.length > 200) {
    throw invalid(`A password has ${minPassword} to 200 characters.`);
  }
  const salt = randomBytes(16);
  const key = await derive(password, salt, cost);
  return [cost.N, cost.r, cost.p, salt.toString('base64url'), key.toString('base64url')].join(':');
}

/** A check takes 128 MB for a moment: two run at once, and one address has a few in the queue. */
const places = { running: 2, ofAddress: 8, all: 100 };
const running: { active: number; waiting: { address: string; start: () => void }[] } = { active: 0, waiting: [] };

/** Runs a check when there is room. @throws ConsoleError 429 when too many wait, of this address or in all. */
export async function inTurn<T>(address: string, work: () => Promise<T>): Promise<T> {
  if (running.active < places.running) running.active += 1;
  else {
    const waitingHere = running.waiting.filter((waiter) => waiter.address === address).length;
    if (waitingHere >= places.ofAddress || running.waiting.length >= places.all)
      throw tooMany('Too many sign-ins at once; try again.', 1);
    await new Promise<void>((start) => running.waiting.push({ address, start }));
  }
  try {
    return await work();
  } finally {
    // The place is handed over: a newcomer cannot take it in between.
    const next = running.waiting.shift();
    if (next) next.start();
    else running.active -= 1;
  }
}

/** Takes as long for an unknown user, who has no hash, as for a known one. */
export async function isPassword(password: string, hashed: string | undefined): Promise<boolean> {
  const [n, r, p, salt = '', expected = ''] = (hashed ?? unknownHash).split(':');
  const key = await derive(password.slice(0, 200), Buffer.from(salt, 'base64url'), {
    N: Number(n),
    r: Number(r),
    p: Number(p),
  });
  const isSame = timingSafeEqual(key, Buffer.from(expected, 'base64url'));
  return isSame && hashed !== undefined;
}

const unknownHash = [
  cost.N,
  cost.r,
  cost.p,
  randomBytes(16).toString('base64url'),
  randomBytes(keyBytes).toString('base64url'),
].join(':');

function derive(password: string, salt: Buffer, options: typeof cost): Promise<Buffer> {
  return new Promise((resolve, reject) =>
    scrypt(password.normalize(), salt, keyBytes, { ...options, maxmem }, (error, key) => {
      if (error) reject(error);
      else resolve(key);
    }),
  );
}

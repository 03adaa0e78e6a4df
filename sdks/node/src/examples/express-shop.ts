import express, { type Express, type NextFunction, type Request, type Response } from 'express';
import { type NodeClient } from '../index.js';

/** Events of the shop; others do not compile. */
export interface ShopEvents {
  order_completed: { order: string; total: number };
  cart_filled: { items: number };
}

/** A shop that reports what its visitors do. Each request is about the person of its session. */
export function expressShop(sluice: NodeClient<ShopEvents>): Express {
  const app = express();
  app.use(express.json());
  app.use((request: Request, _response: Response, next: NextFunction) => {
    const person = { userId: request.get('x-user'), anonymousId: request.get('x-visitor') };
    sluice.withContext({ ...person, context: { userAgent: request.get('user-agent') } }, next);
  });

  app.post('/cart', (request, response) => {
    const { items } = request.body as { items: string[] };
    sluice.track('cart_filled', { items: items.length });
    response.json({ items: items.length });
  });
  app.post('/orders', async (request, response) => {
    const { total } = request.body as { total: number };
    const order = await stored(total);
    // With a directory, true means that the event outlives this process, as the order does.
    const isTracked = sluice.track('order_completed', { order, total });
    response.status(201).json({ order, isTracked });
  });
  app.post('/sign-up', (request, response) => {
    const { userId, plan } = request.body as { userId: string; plan: string };
    sluice.identify(userId, { plan });
    response.status(201).json({ userId });
  });
  return app;
}

let orders = 0;

/** Stands for the shop's database. */
const stored = async (total: number): Promise<string> => Promise.resolve(`order-${++orders}-${total}`);

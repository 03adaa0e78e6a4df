import {
  type DynamicModule,
  Inject,
  Injectable,
  type MiddlewareConsumer,
  Module,
  type NestMiddleware,
  type NestModule,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { createClient, type NodeClient, type NodeOptions, type Person } from '../index.js';

/** Injects the client: `constructor(@Inject(SLUICE) private readonly sluice: NodeClient) {}`. */
export const SLUICE = Symbol('sluice');
const PERSON_OF = Symbol('person of a request');

type PersonOf = (headers: Readonly<Record<string, string | string[] | undefined>>) => Person;

@Injectable()
class SluiceContext implements NestMiddleware {
  constructor(
    @Inject(SLUICE) private readonly sluice: NodeClient,
    @Inject(PERSON_OF) private readonly personOf: PersonOf,
  ) {}

  use(request: { headers: Parameters<PersonOf>[0] }, _response: unknown, next: () => void): void {
    this.sluice.withContext(this.personOf(request.headers), next);
  }
}

/** A client for the whole application, which is closed with it (`app.enableShutdownHooks()` for signals). */
@Module({})
export class SluiceModule implements NestModule, OnApplicationShutdown {
  constructor(@Inject(SLUICE) private readonly sluice: NodeClient) {}

  static forRoot(options: NodeOptions, personOf: PersonOf = () => ({})): DynamicModule {
    return {
      module: SluiceModule,
      global: true,
      providers: [
        { provide: SLUICE, useFactory: () => createClient(options) },
        { provide: PERSON_OF, useValue: personOf },
        SluiceContext,
      ],
      exports: [SLUICE],
    };
  }

  configure(consumer: MiddlewareConsumer): void {
    consumer.apply(SluiceContext).forRoutes('{*path}');
  }

  async onApplicationShutdown(): Promise<void> {
    await this.sluice.close();
  }
}

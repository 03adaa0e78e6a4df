import { Body, Controller, Inject } from '@nestjs/common';
import { type Problem, type TryAnswer, type TryRequest, type TryRoute } from '@sluice/console-api';
import { ConsoleReader, ConsoleWriter, describeFailure } from '@sluice/operations';
import { SourceReader, SourceWriter } from '@sluice/sources';
import { consoleConfig, type ConsoleConfig } from '../config.js';
import { unreachable } from '../http/console-error.js';
import { Serves, ActingUser } from '../http/operation.js';
import { shellWord } from '../http/shell.js';
import { type CurrentUser } from '../session/current-user.js';
import { Sealed } from '../session/sealed.js';
import { Actions } from '../settings/actions.js';

const paths: Readonly<Record<TryRoute, string>> = {
  track: 'sdk/:source/track',
  identify: 'sdk/:source/identify',
  trackBatch: 'sdk/:source/trackBatch',
  identifyBatch: 'sdk/:source/identifyBatch',
  seller: 'catalog/:source/seller',
  product: 'catalog/:source/product',
  productVariant: 'catalog/:source/productVariant',
  category: 'catalog/:source/category',
  general: 'catalog/:source/general',
  sellerBatch: 'catalog/:source/sellerBatch',
  productBatch: 'catalog/:source/productBatch',
  productVariantBatch: 'catalog/:source/productVariantBatch',
  categoryBatch: 'catalog/:source/categoryBatch',
  generalBatch: 'catalog/:source/generalBatch',
  sellerDelete: 'catalog/:source/sellerDelete',
  productDelete: 'catalog/:source/productDelete',
  productVariantDelete: 'catalog/:source/productVariantDelete',
  categoryDelete: 'catalog/:source/categoryDelete',
  generalDelete: 'catalog/:source/generalDelete',
};
const answerMs = 8_000;
const sourceName = 'Console: try it';

/** Asks the gateway itself whether a body would pass. Nothing is stored. */
@Controller()
export class TryController {
  private credentials: Promise<{ source: string; apiKey: string }> | undefined;

  constructor(
    @Inject(consoleConfig) private readonly config: ConsoleConfig,
    private readonly reader: ConsoleReader,
    private readonly writer: ConsoleWriter,
    private readonly sources: SourceReader,
    private readonly sourceWriter: SourceWriter,
    private readonly sealed: Sealed,
    private readonly actions: Actions,
  ) {}

  @Serves('POST /api/try')
  async ask(
    @Body() { route, body: text, isLenient = false }: TryRequest,
    @ActingUser() user: CurrentUser,
  ): Promise<TryAnswer> {
    this.credentials ??= this.ensureCredentials(user).catch((error: unknown) => {
      this.credentials = undefined;
      throw error;
    });
    const { source, apiKey } = await this.credentials;
    const startedAt = performance.now();
    const answer = await this.send(paths[route].replace(':source', source), text, apiKey, isLenient);
    if (answer.status === 401 || answer.status === 404) this.credentials = undefined;
    const tookMs = Math.round(performance.now() - startedAt);
    return {
      ...answer,
      ...readAnswer(answer.status, answer.answer),
      tookMs,
      curl: this.curl(paths[route], text, isLenient),
    };
  }

  private async send(path: string, body: string, apiKey: string, isLenient: boolean) {
    const base = (this.config.CONSOLE_GATEWAY_URL || this.config.GATEWAY_URL).replace(/\/$/, '');
    try {
      const response = await fetch(`${base}/api/tracker/${path}?validate=only`, {
        method: 'POST',
        body,
        headers: {
          authorization: `Bearer ${apiKey}`,
          'content-type': 'application/json',
          ...(isLenient && { prefer: 'handling=lenient' }),
        },
        signal: AbortSignal.timeout(answerMs),
      });
      return {
        status: response.status,
        requestId: response.headers.get('x-request-id'),
        answer: await response.text(),
      };
    } catch (error) {
      const cause = error instanceof TypeError ? (error.cause ?? error) : error;
      throw unreachable('gateway', `The gateway does not answer: ${describeFailure(cause)}`);
    }
  }

  /** The source of the console, created when first needed. Its key is sealed in `console.v1`, for all instances. */
  private async ensureCredentials(user: CurrentUser): Promise<{ source: string; apiKey: string }> {
    const storedSource = this.reader.state.get('try-source', 'all');
    const isThere = storedSource && this.sources.registry.findEnabled(storedSource.sourceIdentifier) !== undefined;
    const key = isThere ? await this.sealed.open('try-source', storedSource.sealedKey) : undefined;
    if (storedSource && typeof key === 'string') return { source: storedSource.sourceIdentifier, apiKey: key };
    return this.actions.record(user, { operation: 'sources.create', object: sourceName }, async () => {
      const { source, apiKey } = await this.sourceWriter.create({ name: sourceName, type: 'tracking-api' });
      const sealedKey = await this.sealed.seal('try-source', apiKey);
      await this.writer.put('try-source', 'all', { sourceIdentifier: source.sourceIdentifier, sealedKey });
      await untilKnown(() => this.tryKey(source.sourceIdentifier, apiKey));
      return { source: source.sourceIdentifier, apiKey };
    });
  }

  /** Whether the gateway knows the key by now. */
  private async tryKey(source: string, apiKey: string): Promise<boolean> {
    const { status } = await this.send(paths.track.replace(':source', source), '{}', apiKey, false);
    return status !== 401 && status !== 404;
  }

  private curl(path: string, body: string, isLenient: boolean): string {
    const { GATEWAY_URL } = this.config;
    const prefer = isLenient ? " \\\n  -H 'Prefer: handling=lenient'" : '';
    return `curl -X POST '${GATEWAY_URL.replace(/\/$/, '')}/api/tracker/${path.replace(':source', '<source>')}?validate=only' \\
  -H 'Authorization: Bearer <api key>' -H 'Content-Type: application/json'${prefer} \\
  -d ${shellWord(body)}`;
  }
}

const knownWithinMs = 5_000;

async function untilKnown(isKnown: () => Promise<boolean>): Promise<void> {
  const until = performance.now() + knownWithinMs;
  while (!(await isKnown()) && performance.now() < until) await new Promise((resolve) => setTimeout(resolve, 100));
}

function readAnswer(status: number, text: string): Pick<TryAnswer, 'wouldPass' | 'problems' | 'dropped' | 'rejected'> {
  const wouldPass = status >= 200 && status < 300;
  try {
    const answer = JSON.parse(text) as Problem[] | { dropped?: Problem[]; rejected?: Problem[] };
    if (Array.isArray(answer)) return { wouldPass, problems: answer, dropped: [], rejected: [] };
    return { wouldPass, problems: [], dropped: answer.dropped ?? [], rejected: answer.rejected ?? [] };
  } catch {
    return { wouldPass, problems: [], dropped: [], rejected: [] };
  }
}

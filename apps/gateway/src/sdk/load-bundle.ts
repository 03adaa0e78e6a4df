import { type LoggerService } from '@nestjs/common';
import { type Bundle, bundleFolder, readBundle } from './bundle.js';

/** The bundle, or undefined with a line in the log: a gateway takes messages whether it can serve the SDK or not. */
export async function loadBundle(
  logger: Pick<LoggerService, 'warn' | 'error'>,
  folder = bundleFolder,
): Promise<Bundle | undefined> {
  try {
    const bundle = await readBundle(folder);
    if (!bundle) logger.warn('the Web SDK was not built (npm run build:sdk): /sdk/ answers 404', 'WebSdk');
    return bundle;
  } catch (error) {
    logger.error({ msg: 'the Web SDK cannot be served: /sdk/ answers 404', error: String(error) }, 'WebSdk');
    return undefined;
  }
}

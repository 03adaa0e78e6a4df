/**
 * Loaded into a gateway by `--import`. The log of refusals then never starts: nothing is counted, kept or sent. The
 * gateway has no setting for that.
 */
// The path is right from both src and dist, which are equally deep.
const file = new URL('../../../../apps/gateway/dist/refused/refused-log.js', import.meta.url);
interface Log {
  start: () => Promise<void>;
  refused: () => void;
  partly: () => void;
}
const { RefusedLog } = (await import(file.href)) as { RefusedLog: { prototype: Log } };
RefusedLog.prototype.start = () => Promise.resolve();
RefusedLog.prototype.refused = () => undefined;
RefusedLog.prototype.partly = () => undefined;

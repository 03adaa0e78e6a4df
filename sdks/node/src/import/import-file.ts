import { rm } from 'node:fs/promises';
import { ImportError } from './import-error.js';
import { type ImportOptions } from './options.js';
import {
  type Progress,
  readProgress,
  type Rejected,
  removeProgress,
  RejectsReport,
  reportFile,
  writeProgress,
} from './progress.js';
import { type ImportBatch, type Segment, readSegments, buildBatches } from './segments.js';
import { type BatchOutcome, ImportSender } from './sender.js';

const savedEveryMs = 500;

interface UnderWay {
  readonly segment: Segment;
  readonly outcomes: Promise<readonly [ImportBatch, BatchOutcome][]>;
}

/**
 * Sends the messages of a file. After an interruption at any moment, the next call continues at a position before which
 * all is settled; messages that are sent again are stored once.
 * @throws ImportError when the file cannot be read, or the service takes no more
 */
export async function importFile(options: ImportOptions, onProgress: (progress: Progress) => void): Promise<Progress> {
  const { file, parallel } = options;
  const progress = await readProgress(options).catch(cannotRead);
  const report = await RejectsReport.open(file, progress.reportBytes).catch(cannotRead);
  const sender = new ImportSender(options);
  const underWay: UnderWay[] = [];
  let savedAt = performance.now();
  const settleFirst = async (): Promise<void> => {
    const [first] = underWay;
    if (!first) return;
    const outcomes = await first.outcomes;
    underWay.shift();
    // 1. Report, 2. progress: after a crash, entries beyond `reportBytes` are cut off and written again.
    await report.add(settle(progress, first.segment, outcomes));
    progress.reportBytes = report.bytes;
    if (performance.now() - savedAt < savedEveryMs) return;
    savedAt = performance.now();
    await writeProgress(file, progress);
    onProgress(progress);
  };
  try {
    for await (const segment of readSegments(file, progress.position, progress.line)) {
      while (underWay.length >= parallel) await settleFirst();
      const outcomes = sendAll(sender, segment);
      // A failure is handled when the segment is settled.
      outcomes.catch(() => undefined);
      underWay.push({ segment, outcomes });
    }
    while (underWay.length > 0) await settleFirst();
  } catch (error) {
    sender.end();
    await writeProgress(file, progress);
    throw (error as NodeJS.ErrnoException).code === undefined ? error : asImportError(error);
  } finally {
    await report.close();
  }
  await removeProgress(file);
  if (report.bytes === 0) await rm(reportFile(file), { force: true });
  return progress;
}

const asImportError = (error: unknown): ImportError => new ImportError((error as Error).message, { cause: error });

const cannotRead = (error: unknown): never => {
  throw asImportError(error);
};

async function sendAll(sender: ImportSender, segment: Segment): Promise<[ImportBatch, BatchOutcome][]> {
  const sent: [ImportBatch, BatchOutcome][] = [];
  // `buildBatches` puts `identify` first, as the SDK's outbox does.
  for (const batch of buildBatches(segment)) sent.push([batch, await sender.send(batch)]);
  return sent;
}

/** Counts a segment, and returns the entries of the report in the order of the lines. */
function settle(
  progress: Progress,
  segment: Segment,
  outcomes: readonly (readonly [ImportBatch, BatchOutcome])[],
): Rejected[] {
  const entries: Rejected[] = segment.items.flatMap((item) =>
    'problem' in item ? [{ line: item.line, isStored: false, problems: [item.problem], text: item.text }] : [],
  );
  for (const [batch, { refused, dropped }] of outcomes) {
    for (const [place, { line, text }] of batch.lines.entries()) {
      const problems = refused.get(place) ?? dropped.get(place);
      if (problems) entries.push({ line, isStored: !refused.has(place), problems, text });
    }
  }
  const lost = entries.filter(({ isStored }) => !isStored).length;
  progress.refused += lost;
  progress.partly += entries.length - lost;
  progress.stored += segment.items.length - lost;
  progress.position = segment.end;
  progress.line = segment.next;
  return entries.sort((first, second) => first.line - second.line);
}

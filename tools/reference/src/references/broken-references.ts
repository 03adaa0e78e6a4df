import { posix } from 'node:path';
import { listAnchors, readProse } from './prose.js';
import { type Repository } from './repository.js';

/** Root folders: a path that begins with one of them belongs to this repository. */
const rootFolders = 'apps|libs|sdks|tools|tests|deploy|docs|\\.ci';
const path = new RegExp(`(?<![\\w./@-])(?:${rootFolders})/[\\w.<>*…/-]*[\\w>*…/]`, 'g');
const fileName = /(?<![\w./*<>@…-])[\w<>*-]+(?:[./][\w<>*-]+)*\.(?:ts|sql|mjs|md|ya?ml)(?![\w-])/g;
const pageAndAnchor = /(?<![\w./-])([\w./-]+\.md)#([\w-]+)/g;
const link = /\]\(([^)\s]+)\)/g;
const code = /`([^`]+)`/g;
const npmCommand = /\bnpm (?:run (?:-s )?([\w:-]+)|(start|test)\b)/g;
const decision = /\bdecisions? ((?:\d+(?:, | and |, and )?)+)/gi;
/** Pages about the code. Other pages also name functions of ClickHouse and fields of clients. */
const isOfCode = /^(?:README|CONTRIBUTING|docs\/(?:architecture|changing|commands)|docs\/decisions\/.*)\.md$/;
/** Applied migrations never change, so their comments name the files of their time. */
const isMigration = /\/migrations\/\d{4}-[\w-]+\.sql$/;
/** Names of types, functions and decorators: `TrackMessage`, `takeBatch`, `@HandlesBlocks`. */
const identifier = /(?<![\w.$/-])@?[A-Za-z]+[a-z\d][A-Z]\w*/g;
/** Sections of documents outside this repository. RFCs are public and therefore allowed. */
const foreignSection = /(?<!RFC \d{1,5},? )§ ?[\d.]+/g;

/**
 * Finds every mention of a path, heading, npm command or decision that does not exist. On pages about the code it also
 * finds identifiers that no file contains. Each is reported as `file:line names what`.
 */
export function brokenReferences(repository: Repository): string[] {
  const knownNames = new KnownNames(repository);
  const broken = repository.paths
    .filter((file) => file !== 'package-lock.json')
    .flatMap((file) => {
      const content = repository.read(file);
      const prose = readProse(file, content).flatMap(({ number, text }) =>
        inProse(file, text, knownNames).map((reference) => ({ number, reference })),
      );
      const anywhere = content
        .split('\n')
        .flatMap((text, index) =>
          inAnyText(file, text, knownNames).map((reference) => ({ number: index + 1, reference })),
        );
      return [...prose, ...anywhere].map(({ number, reference }) => `${file}:${number} names ${reference}`);
    });
  return [...new Set(broken)];
}

function inProse(file: string, text: string, knownNames: KnownNames): string[] {
  const isPage = file.endsWith('.md');
  const isHistoricalName = (name: string): boolean => isMigration.test(file) && name.endsWith('.ts');
  const texts = isPage ? [...text.matchAll(code)].map(([, codeText = '']) => codeText) : [text];
  return [
    ...findAll(text, path).filter((name) => !knownNames.hasPath(name) && !isHistoricalName(name)),
    ...texts
      .flatMap((codeText) => findAll(codeText, fileName))
      .filter((name) => !knownNames.hasFileNamed(name) && !isHistoricalName(name)),
    ...[...text.matchAll(npmCommand)]
      .filter(([, script, short]) => !knownNames.scripts.has(script ?? short ?? ''))
      .map(([command]) => command),
    ...[...text.matchAll(decision)].flatMap(([, numbers = '']) =>
      (numbers.match(/\d+/g) ?? [])
        .filter((number) => !knownNames.decisions.has(Number(number)))
        .map((number) => `decision ${number}`),
    ),
    ...findAll(text, foreignSection),
    ...(isPage ? brokenLinks(file, text, knownNames) : []),
    ...(isOfCode.test(file)
      ? texts.flatMap((codeText) => findAll(codeText, identifier)).filter((word) => !knownNames.words.has(word))
      : []),
  ];
}

/** Log lines, alerts and answers also refer to headings, so every line outside pages is checked. */
const inAnyText = (file: string, text: string, knownNames: KnownNames): string[] =>
  file.endsWith('.md')
    ? []
    : [...text.matchAll(pageAndAnchor)]
        .filter(([, page = '', anchor = '']) => !knownNames.hasHeading(page, anchor))
        .map(([reference]) => reference);

function brokenLinks(file: string, text: string, knownNames: KnownNames): string[] {
  const targets = [...text.matchAll(link)].map(([, target = '']) => target);
  return targets.filter((target) => {
    if (/^[a-z]+:/.test(target)) return false;
    const [page = '', anchor] = target.split('#');
    const to = page === '' ? file : posix.join(posix.dirname(file), page);
    return anchor === undefined ? !knownNames.hasPath(to) : !knownNames.hasHeading(to, anchor);
  });
}

const findAll = (text: string, pattern: RegExp): string[] => [...text.matchAll(pattern)].map(([match]) => match);

/** Names that exist in the repository. */
class KnownNames {
  readonly scripts: ReadonlySet<string>;
  readonly decisions: ReadonlySet<number>;
  /** All words of all files except pages. */
  readonly words: ReadonlySet<string>;
  private readonly entries: ReadonlySet<string>;
  private readonly anchors = new Map<string, Set<string>>();

  constructor(private readonly repository: Repository) {
    const folders = repository.paths.flatMap((file) => listFolders(file));
    this.entries = new Set([...repository.paths, ...folders]);
    const { scripts = {} } = JSON.parse(repository.read('package.json')) as { scripts?: Record<string, string> };
    this.scripts = new Set(Object.keys(scripts));
    const numbers = repository.paths.map((file) => /^docs\/decisions\/(\d{4})-/.exec(file)?.[1]);
    this.decisions = new Set(numbers.filter((number) => number !== undefined).map(Number));
    const code = repository.paths.filter((file) => !/\.md$|package-lock\.json$/.test(file));
    this.words = new Set(code.flatMap((file) => repository.read(file).match(/@?\b[A-Za-z_]\w*/g) ?? []));
  }

  /** Checks a path from the root. `<name>`, `*`, `…` and `NNNN` are placeholders that at least one path must match. */
  hasPath(name: string): boolean {
    const exactName = name.replace(/\/$/, '');
    if (exactName.split('/').includes('dist')) return true;
    return this.entries.has(exactName) || (hasPlaceholder(exactName) && this.hasMatch(`^${toPattern(exactName)}$`));
  }

  /** Checks that a path ends with this name, which may include its folders. */
  hasFileNamed(name: string): boolean {
    return this.hasMatch(`(?:^|/)${toPattern(name)}$`);
  }

  hasHeading(page: string, anchor: string): boolean {
    if (!this.entries.has(page)) return false;
    const anchors = this.anchors.get(page) ?? listAnchors(this.repository.read(page));
    this.anchors.set(page, anchors);
    return anchors.has(anchor);
  }

  private hasMatch(source: string): boolean {
    const pattern = new RegExp(source);
    return [...this.entries].some((entry) => pattern.test(entry));
  }
}

function listFolders(file: string): string[] {
  const parts = file.split('/').slice(0, -1);
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'));
}

const placeholder = /<[^>]*>|\*+|…|NNNN/g;
const hasPlaceholder = (name: string): boolean => name.search(placeholder) >= 0;

function toPattern(name: string): string {
  const literals = name.split(placeholder).map((literal) => literal.replaceAll(/[.+^${}()|[\]\\]/g, '\\$&'));
  return literals.join('.+');
}

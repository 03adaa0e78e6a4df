import { posix } from 'node:path';
import { anchorsOf, proseOf } from './prose.js';
import { type Repository } from './repository.js';

/** Root folders: a path that begins with one of them belongs to this repository. */
const rootFolders = 'apps|libs|sdks|tools|deploy|docs|\\.ci';
const path = new RegExp(`(?<![\\w./@-])(?:${rootFolders})/[\\w.<>*…/-]*[\\w>*…/]`, 'g');
const fileName = /(?<![\w./*<>@…-])[\w<>*-]+(?:[./][\w<>*-]+)*\.(?:ts|sql|mjs|md|ya?ml)(?![\w-])/g;
const pageAndAnchor = /(?<![\w./-])([\w./-]+\.md)#([\w-]+)/g;
const link = /\]\(([^)\s]+)\)/g;
const code = /`([^`]+)`/g;
const npmCommand = /\bnpm (?:run (?:-s )?([\w:-]+)|(start|test)\b)/g;
const decision = /\bdecisions? ((?:\d+(?:, | and |, and )?)+)/gi;
/** Pages about the code. Other pages also name functions of ClickHouse and fields of clients. */
const isOfCode = /^(?:README|CONTRIBUTING|docs\/architecture|docs\/decisions\/.*)\.md$/;
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
  const known = new Known(repository);
  const broken = repository.paths
    .filter((file) => file !== 'package-lock.json')
    .flatMap((file) => {
      const content = repository.read(file);
      const prose = proseOf(file, content).flatMap(({ number, text }) =>
        inProse(file, text, known).map((what) => ({ number, what })),
      );
      const anywhere = content
        .split('\n')
        .flatMap((text, index) => inAnyText(file, text, known).map((what) => ({ number: index + 1, what })));
      return [...prose, ...anywhere].map(({ number, what }) => `${file}:${number} names ${what}`);
    });
  return [...new Set(broken)];
}

function inProse(file: string, text: string, known: Known): string[] {
  const isPage = file.endsWith('.md');
  const isHistoricalName = (name: string): boolean => isMigration.test(file) && name.endsWith('.ts');
  const named = isPage ? [...text.matchAll(code)].map(([, said = '']) => said) : [text];
  return [
    ...all(text, path).filter((one) => !known.hasPath(one) && !isHistoricalName(one)),
    ...named.flatMap((one) => all(one, fileName)).filter((one) => !known.hasFileNamed(one) && !isHistoricalName(one)),
    ...[...text.matchAll(npmCommand)]
      .filter(([, script, short]) => !known.scripts.has(script ?? short ?? ''))
      .map(([command]) => command),
    ...[...text.matchAll(decision)].flatMap(([, numbers = '']) =>
      (numbers.match(/\d+/g) ?? []).filter((one) => !known.decisions.has(Number(one))).map((one) => `decision ${one}`),
    ),
    ...all(text, foreignSection),
    ...(isPage ? brokenLinks(file, text, known) : []),
    ...(isOfCode.test(file) ? named.flatMap((one) => all(one, identifier)).filter((one) => !known.words.has(one)) : []),
  ];
}

/** Log lines, alerts and answers also refer to headings, so every line outside pages is checked. */
const inAnyText = (file: string, text: string, known: Known): string[] =>
  file.endsWith('.md')
    ? []
    : [...text.matchAll(pageAndAnchor)]
        .filter(([, page = '', anchor = '']) => !known.hasHeading(page, anchor))
        .map(([found]) => found);

function brokenLinks(file: string, text: string, known: Known): string[] {
  const targets = [...text.matchAll(link)].map(([, target = '']) => target);
  return targets.filter((target) => {
    if (/^[a-z]+:/.test(target)) return false;
    const [page = '', anchor] = target.split('#');
    const to = page === '' ? file : posix.join(posix.dirname(file), page);
    return anchor === undefined ? !known.hasPath(to) : !known.hasHeading(to, anchor);
  });
}

const all = (text: string, pattern: RegExp): string[] => [...text.matchAll(pattern)].map(([found]) => found);

/** Names that exist in the repository. */
class Known {
  readonly scripts: ReadonlySet<string>;
  readonly decisions: ReadonlySet<number>;
  /** All words of all files except pages. */
  readonly words: ReadonlySet<string>;
  private readonly entries: ReadonlySet<string>;
  private readonly anchors = new Map<string, Set<string>>();

  constructor(private readonly repository: Repository) {
    const folders = repository.paths.flatMap((file) => foldersOf(file));
    this.entries = new Set([...repository.paths, ...folders]);
    const { scripts = {} } = JSON.parse(repository.read('package.json')) as { scripts?: Record<string, string> };
    this.scripts = new Set(Object.keys(scripts));
    const numbers = repository.paths.map((file) => /^docs\/decisions\/(\d{4})-/.exec(file)?.[1]);
    this.decisions = new Set(numbers.filter((number) => number !== undefined).map(Number));
    const code = repository.paths.filter((file) => !/\.md$|package-lock\.json$/.test(file));
    this.words = new Set(code.flatMap((file) => repository.read(file).match(/@?\b[A-Za-z_]\w*/g) ?? []));
  }

  /** Checks a path from the root. `<name>`, `*`, `…` and `NNNN` are placeholders that at least one path must match. */
  hasPath(named: string): boolean {
    const wanted = named.replace(/\/$/, '');
    if (wanted.split('/').includes('dist')) return true;
    return this.entries.has(wanted) || (hasPlaceholder(wanted) && this.hasMatch(`^${patternOf(wanted)}$`));
  }

  /** Checks that a path ends with this name, which may include its folders. */
  hasFileNamed(named: string): boolean {
    return this.hasMatch(`(?:^|/)${patternOf(named)}$`);
  }

  hasHeading(page: string, anchor: string): boolean {
    if (!this.entries.has(page)) return false;
    const known = this.anchors.get(page) ?? anchorsOf(this.repository.read(page));
    this.anchors.set(page, known);
    return known.has(anchor);
  }

  private hasMatch(source: string): boolean {
    const pattern = new RegExp(source);
    return [...this.entries].some((entry) => pattern.test(entry));
  }
}

function foldersOf(file: string): string[] {
  const parts = file.split('/').slice(0, -1);
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'));
}

const placeholder = /<[^>]*>|\*+|…|NNNN/g;
const hasPlaceholder = (named: string): boolean => named.search(placeholder) >= 0;

function patternOf(named: string): string {
  const literals = named.split(placeholder).map((literal) => literal.replaceAll(/[.+^${}()|[\]\\]/g, '\\$&'));
  return literals.join('.+');
}

import { type Repository } from '../references/repository.js';

/** A word or phrase that is out. */
interface Entry {
  readonly out: string;
  readonly instead: string;
  readonly pattern: RegExp;
}

const row = /^\| (`.+?) *\| (.+?) *\| (everywhere|names) *\|$/;
const textFiles = /\.(?:tsx?|mjs|js|md|kts?|java|swift|json|ya?ml|tpl|sql|sh|css|html|properties)$|(?:^|\/)Dockerfile$/;
/** Applied migrations never change. */
const frozen = /(?:^|\/)package-lock\.json$|\/migrations\/\d{4}-[\w-]+\.sql$/;
/** Names and words of others: of git, of programs that are configured here, and of cited texts. */
const foreign = /\bgit merge\b|"[^"]*" \(RFC \d+/g;

/** The table of docs/words.md. */
export function parseGlossary(page: string): Entry[] {
  return page.split('\n').flatMap((line) => {
    const [, outs = '', instead = '', where] = row.exec(line) ?? [];
    const words = [...outs.matchAll(/`([^`]+)`/g)].map(([, out = '']) => out);
    return words.map((out) => ({ out, instead, pattern: where === 'names' ? namePattern(out) : phrasePattern(out) }));
  });
}

/**
 * Finds the words that are out in names, comments, texts and pages, and in the names of files, as
 * `file:line says 'out', not 'instead'`.
 */
export function foreignWords(repository: Repository, glossary: readonly Entry[]): string[] {
  return repository.paths
    .filter((path) => textFiles.test(path) && !frozen.test(path))
    .flatMap((path) => {
      const lines = repository.read(path).split('\n');
      const findings = lines.flatMap((line, index) =>
        row.test(line) ? [] : findWords(line, glossary).map((finding) => `${path}:${index + 1} ${finding}`),
      );
      return [...findWords(path, glossary).map((finding) => `${path} ${finding}`), ...findings];
    });
}

function findWords(line: string, glossary: readonly Entry[]): string[] {
  const ownText = line.replaceAll(foreign, '');
  const spaced = ownText.replaceAll(/([a-z\d])([A-Z])/g, '$1 $2').replaceAll(/[_-]/g, ' ');
  return glossary
    .filter(({ pattern }) => pattern.test(pattern.flags.includes('i') ? spaced : ownText))
    .map(({ out, instead }) => `says '${out}', not ${instead}`);
}

/** A word, whole or as a part of a name (`useThing`, `THING_OF`). In a phrase `X` is any word, and "there is" is free. */
function phrasePattern(out: string): RegExp {
  const words = out.replace(/ X$/, ' (?!longer\\b|more\\b|fewer\\b|less\\b|one\\b)[a-z]+');
  return new RegExp(`${out.endsWith(' X') ? '(?<!\\bthere )' : ''}\\b${words}\\b`, 'i');
}

/** `thing…` is the beginning of a longer name; without `…` it is the name of a parameter, property or variable. */
function namePattern(out: string): RegExp {
  const stem = out.replace('…', '');
  if (out.endsWith('…')) return new RegExp(`\\b(?:${stem}[A-Z]\\w*|${stem.toUpperCase()}_\\w+)`);
  return new RegExp(`(?:\\b(?:const|let|val|var) |[({,] ?|^ +(?:readonly )?)${out}\\??\\s*[:=,)}](?!\\w)`);
}

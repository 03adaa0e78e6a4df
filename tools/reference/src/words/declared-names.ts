import ts from 'typescript';
import { type Repository } from '../references/repository.js';

const pronouns = new Set(
  'its those these there is one ones other others both such what who them it this that'.split(' '),
);
/** Without words of the domain: refused, stored, dropped, sent, lost, read. */
const participles = new Set(
  'found known asked given wanted kept held taken shown said named written passed seen left gone begun put made counted awaited added own'.split(
    ' ',
  ),
);
const isProduct = (path: string): boolean =>
  /^(?:apps|libs|sdks|tools|tests)\/.*\.tsx?$/.test(path) && !/\.d\.ts$|\.spec\.|spec-support|\.faults\./.test(path);

/** Names of variables, parameters and functions that do not say what a thing is, as `file:line name`: docs/words.md#names. */
export function findUnclearNames(repository: Repository): string[] {
  return repository.paths.filter(isProduct).flatMap((path) => {
    const source = ts.createSourceFile(path, repository.read(path), ts.ScriptTarget.Latest, true);
    return findIn(source).map(({ name, position }) => {
      const { line } = source.getLineAndCharacterOfPosition(position);
      return `${path}:${line + 1} ${name}`;
    });
  });
}

interface NamePlace {
  readonly name: string;
  readonly position: number;
}

function findIn(source: ts.SourceFile): NamePlace[] {
  const places: NamePlace[] = [];
  const visit = (node: ts.Node): void => {
    const name = readValueName(node);
    // The type of `this` is declared as a parameter.
    const isThis = ts.isParameter(node) && name === 'this';
    if (name !== undefined && !isThis && (pronouns.has(name) || participles.has(name)))
      places.push({ name, position: node.getStart() });
    const functionName = readFunctionName(node, source);
    if (functionName !== undefined && /[a-z]Of$/.test(functionName))
      places.push({ name: functionName, position: node.getStart() });
    ts.forEachChild(node, visit);
  };
  visit(source);
  return places;
}

const readValueName = (node: ts.Node): string | undefined =>
  (ts.isVariableDeclaration(node) || ts.isParameter(node) || ts.isBindingElement(node)) && ts.isIdentifier(node.name)
    ? node.name.text
    : undefined;

/** The name of a function at the top level of a file. */
function readFunctionName(node: ts.Node, source: ts.SourceFile): string | undefined {
  if (ts.isFunctionDeclaration(node)) return node.name?.text;
  const isArrow = ts.isVariableDeclaration(node) && node.initializer && ts.isArrowFunction(node.initializer);
  return isArrow && ts.isIdentifier(node.name) && node.parent.parent.parent === source ? node.name.text : undefined;
}

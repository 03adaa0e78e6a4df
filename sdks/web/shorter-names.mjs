// Chooses the names of local variables so that gzip makes a minified file smaller. To the language all names are alike;
// to gzip, functions that do alike things should be written alike, to the letter.
import { gzipSync } from 'node:zlib';
import { parse } from 'acorn';
import { analyze } from 'eslint-scope';

/** The names that are tried: letters that minified code has most of anyway. More of them take longer, and save little. */
const letters = 'etnriosacludfpmhvg';

/**
 * Tries other names, one variable after the other, and keeps those that make the file no larger. About 2,000 a second.
 * @param {string} code minified
 * @param {'script' | 'module'} sourceType
 * @returns {string} the same program with other names
 * @throws if a name in it, or for others, means something else than before: classes, and exports without `as`
 */
export function withShorterNames(code, sourceType) {
  const { variables, rest } = programOf(code, sourceType);
  const names = variables.map(({ name }) => name);
  const texts = rest.flatMap((text) => [text, '']);
  const write = (index) => {
    for (const { at, key } of variables[index].places) {
      texts[2 * at + 1] = key && key !== names[index] ? `${key}:${names[index]}` : names[index];
    }
  };
  variables.forEach((_, index) => write(index));
  const rivals = rivalsOf(variables);
  let least = sizeOf(code);
  const tryName = (index, letter) => {
    const old = names[index];
    const changed = swap(names, rivals, index, letter);
    changed.forEach(write);
    const size = sizeOf(texts.join(''));
    if (size <= least) least = size;
    else swap(names, rivals, index, old).forEach(write);
  };
  const byPlaces = [...variables.keys()].sort((one, other) => placesIn(variables[other]) - placesIn(variables[one]));
  for (const index of byPlaces) {
    for (const letter of letters) if (names[index] !== letter) tryName(index, letter);
  }
  const made = texts.join('');
  if (meaningOf(made, sourceType) !== meaningOf(code, sourceType)) throw new Error('a name means something else');
  return made;
}

const sizeOf = (code) => gzipSync(code, { level: 9 }).length;
const placesIn = ({ places }) => places.length;

/** The variables of a program with the places of their names, the texts between these places, and what it refers to or exports. */
function programOf(code, sourceType) {
  const { scopes, keys, exported } = scopesOf(code, sourceType);
  const variables = scopes.slice(1).flatMap((scope) => scope.variables.map((variable) => variableOf(variable, scope)));
  const named = variables.filter(({ name, places }) => name !== 'arguments' && places.length > 0);
  const places = named.flatMap((variable) => variable.places).sort((one, other) => one.start - other.start);
  places.forEach((place, at) => Object.assign(place, { at, key: keys.get(place.start) }));
  const ends = [0, ...places.map(({ end }) => end)];
  const rest = ends.map((end, at) => code.slice(end, places[at]?.start));
  return { variables: named, rest, globals: scopes[0].through, exported };
}

function scopesOf(code, sourceType) {
  const options = { ecmaVersion: 2022, sourceType };
  const tree = parse(code, { ...options, ranges: true });
  /** Names of properties that are written once for the property and its variable, by their position. */
  const keys = new Map();
  const visit = (node) => {
    if (node?.type === 'Property' && node.shorthand) keys.set(node.start, node.key.name);
    if (node && typeof node === 'object') Object.values(node).forEach(visit);
  };
  visit(tree.body);
  return { keys, exported: tree.body.flatMap(exportedBy), scopes: analyze(tree, options).scopes };
}

/** Names under which a statement exports something. */
function exportedBy({ type, specifiers = [], declaration }) {
  if (!type.startsWith('Export')) return [];
  const ids = declaration?.declarations?.map(({ id }) => id) ?? [declaration?.id];
  return [...specifiers.map(({ exported }) => exported), ...ids].map((id) => id?.name);
}

/** `scopes` are those in which no other variable may have its name. */
function variableOf({ name, identifiers, references }, scope) {
  const nodes = [...identifiers, ...references.map(({ identifier }) => identifier)];
  const places = new Map(nodes.map(({ start, end }) => [start, { start, end }]));
  const scopes = new Set([scope]);
  for (const { from } of references) for (let one = from; one !== scope; one = one.upper) scopes.add(one);
  return { name, places: [...places.values()], scopes };
}

/** For each variable, the others that must not have its name. */
function rivalsOf(variables) {
  const inScope = new Map();
  variables.forEach(({ scopes }, index) => {
    for (const scope of scopes) inScope.set(scope, [...(inScope.get(scope) ?? []), index]);
  });
  return variables.map(({ scopes }, index) => {
    const others = new Set([...scopes].flatMap((scope) => inScope.get(scope)));
    others.delete(index);
    return [...others];
  });
}

/** Gives a variable another name, its rivals of that name the old one, and so on. Returns all that were changed. */
function swap(names, rivals, index, name) {
  const old = names[index];
  const changed = new Set([index]);
  for (const one of changed) {
    const next = names[one] === old ? name : old;
    names[one] = next;
    for (const rival of rivals[one]) if (names[rival] === next) changed.add(rival);
  }
  return changed;
}

/** Tells for each name in a program, in order, which variable it means, and what the program exports. */
function meaningOf(code, sourceType) {
  const { variables, globals, exported } = programOf(code, sourceType);
  const own = variables.flatMap(({ places }, index) => places.map(({ start }) => [start, index]));
  const others = globals.map(({ identifier: { start, name } }) => [start, name]);
  const inOrder = [...own, ...others].sort(([one], [other]) => one - other);
  return JSON.stringify([inOrder.map(([, meaning]) => meaning), exported]);
}

import { fileURLToPath } from 'node:url';
import { format, resolveConfig } from 'prettier';
import ts from 'typescript';
import { type OpenApiSchema, Schemas } from './schemas.js';

const source = fileURLToPath(new URL('../../../../libs/console-api/src/operations.ts', import.meta.url));
export const documentFile = fileURLToPath(new URL('../../../../libs/console-api/src/document.json', import.meta.url));

const json = (schema: OpenApiSchema): OpenApiSchema => ({ content: { 'application/json': { schema } } });
const problem = { description: 'It failed', ...json({ $ref: '#/components/schemas/ApiProblem' }) };

/** The OpenAPI document of the console's API, made from the types of `libs/console-api`. */
export async function consoleDocument(): Promise<string> {
  const document = build();
  return format(JSON.stringify(document), { ...(await resolveConfig(documentFile)), filepath: documentFile });
}

function build(): OpenApiSchema {
  const program = ts.createProgram([source], {
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: true,
    types: [],
    lib: ['lib.es2024.d.ts'],
    target: ts.ScriptTarget.ES2024,
    module: ts.ModuleKind.NodeNext,
  });
  const checker = program.getTypeChecker();
  const schemas = new Schemas(checker);
  const exported = checker.getExportsOfModule(requireModule(program, checker));
  const requireType = (name: string): ts.Type => {
    const symbol = exported.find((candidate) => candidate.name === name);
    if (!symbol) throw new Error(`${source} has no ${name}`);
    return checker.getDeclaredTypeOfSymbol(symbol);
  };
  const paths: Record<string, OpenApiSchema> = {};
  for (const member of checker.getPropertiesOfType(requireType('Api'))) {
    const [method = '', path = ''] = member.name.split(' ');
    const template = path.replace(/:(\w+)/g, '{$1}');
    paths[template] = { ...paths[template], [method.toLowerCase()]: describeOperation(member, checker, schemas) };
  }
  schemas.describeType(requireType('ApiProblem'));
  const cookie = { type: 'apiKey', in: 'cookie', name: '__Host-sluice' };
  return {
    openapi: '3.1.0',
    info: {
      title: 'Sluice console',
      version: '1',
      description: 'What the pages of the console ask. See docs/console.md.',
    },
    paths,
    components: {
      schemas: schemas.components,
      responses: { Problem: problem },
      securitySchemes: { session: cookie },
    },
  };
}

function requireModule(program: ts.Program, checker: ts.TypeChecker): ts.Symbol {
  const file = program.getSourceFile(source);
  const symbol = file && checker.getSymbolAtLocation(file);
  if (!symbol) throw new Error(`${source} cannot be read`);
  return symbol;
}

function describeOperation(member: ts.Symbol, checker: ts.TypeChecker, schemas: Schemas): OpenApiSchema {
  const type = checker.getTypeOfSymbol(member);
  const memberType = (name: string): ts.Type | undefined => {
    const property = type.getProperty(name);
    return property && checker.getTypeOfSymbol(property);
  };
  const [role, query, body, answer] = [
    memberType('role'),
    memberType('query'),
    memberType('body'),
    memberType('answer'),
  ];
  if (!role?.isStringLiteral()) throw new Error(`${member.name} has no role`);
  const isJson = answer !== undefined && !(answer.flags & ts.TypeFlags.Never);
  return {
    operationId: member.name.replace('/api/', '').replaceAll(/[^A-Za-z]+/g, '-'),
    ...schemas.described(member),
    'x-role': role.value,
    security: role.value === 'public' ? [] : [{ session: [] }],
    parameters: [...pathParameters(member.name), ...(query ? queryParameters(query, checker, schemas) : [])],
    ...(body && { requestBody: { required: true, ...json(schemas.describeType(body)) } }),
    responses: {
      200: { description: 'Done', ...(isJson && json(schemas.describeType(answer))) },
      default: { $ref: '#/components/responses/Problem' },
    },
  };
}

const pathParameters = (operation: string): OpenApiSchema[] =>
  [...operation.matchAll(/:(\w+)/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));

const queryParameters = (query: ts.Type, checker: ts.TypeChecker, schemas: Schemas): OpenApiSchema[] =>
  checker.getPropertiesOfType(query).map((member) => {
    const { description, ...schema } = schemas.describeMember(member);
    const required = (member.flags & ts.SymbolFlags.Optional) === 0;
    return { name: member.name, in: 'query', ...(description !== undefined && { description }), required, schema };
  });

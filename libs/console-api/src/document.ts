import document from './document.json' with { type: 'json' };
import { type Api, type Operation } from './operations.js';

/** A JSON schema of a part of a request. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** An operation of the OpenAPI document. */
export interface Described {
  readonly 'x-role': Api[Operation]['role'];
  readonly parameters: readonly {
    readonly name: string;
    readonly in: string;
    readonly required: boolean;
    schema: JsonSchema;
  }[];
  readonly requestBody?: { readonly content: Readonly<Record<'application/json', { readonly schema: JsonSchema }>> };
}

/** The OpenAPI document, which `npm run docs:variables` makes of the types in operations.ts. */
export const openApi: { readonly paths: object; readonly components: object } = document;

/** Every operation with its role and its schemas. */
export const operations: ReadonlyMap<Operation, Described> = new Map(
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]): [Operation, Described] => [
      `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}` as Operation,
      described as unknown as Described,
    ]),
  ),
);

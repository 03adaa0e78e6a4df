import { local } from '../stack.js';

/** A part of JSON Schema. */
export type DocumentSchema = Readonly<Record<string, unknown>>;

export interface ApiOperation {
  operationId: string;
  tags: string[];
  summary: string;
  responses: Record<string, unknown>;
}

export interface OpenApiDocument {
  info: Record<string, unknown>;
  servers: { url: string }[];
  paths: Record<string, Record<string, ApiOperation>>;
  components: { schemas: Record<string, DocumentSchema> };
}

/** The document of the stack's gateway. */
export const readDocument = async (): Promise<OpenApiDocument> =>
  (await (await fetch(`${local().gateway.url}/openapi.json`)).json()) as OpenApiDocument;

export const listOperations = ({ paths }: OpenApiDocument): ApiOperation[] =>
  Object.values(paths).flatMap((path) => Object.values(path));

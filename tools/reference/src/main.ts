import { readFileSync, writeFileSync } from 'node:fs';
import { readAppVariables } from './app-variables.js';
import { consoleDocument, documentFile } from './openapi/document.js';
import { operationsPage, withSection } from './page.js';
import { variablesSection } from './variables-section.js';

const page = readFileSync(operationsPage, 'utf8');
writeFileSync(operationsPage, withSection(page, variablesSection(await readAppVariables())));
writeFileSync(documentFile, await consoleDocument());

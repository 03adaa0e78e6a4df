import { readFileSync, writeFileSync } from 'node:fs';
import { readAppVariables } from './app-variables.js';
import { consoleDocument, documentFile } from './openapi/document.js';
import { variablesPage, withSection } from './page.js';
import { variablesSection } from './variables-section.js';

const page = readFileSync(variablesPage, 'utf8');
writeFileSync(variablesPage, withSection(page, variablesSection(await readAppVariables())));
writeFileSync(documentFile, await consoleDocument());

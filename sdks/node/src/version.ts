/** Name and version in `context.sdk`; a test compares them with package.json. */
export const sdk = { name: '@sluice/node', version: '0.1.0' };

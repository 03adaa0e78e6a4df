/** Version of the package; a test compares it with package.json. */
export const sdk = { name: '@sluice/web', version: '0.1.0' };

/** As in package.json (a test compares). */
export const sdk = { name: '@sluice/web', version: '0.1.0' };

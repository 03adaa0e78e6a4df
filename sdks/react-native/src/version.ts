/** Version of the package; a test compares it with package.json. */
export const sdk = { name: '@sluice/react-native', version: '0.1.0' };

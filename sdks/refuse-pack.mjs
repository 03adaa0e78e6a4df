// Runs as `prepack` of the SDKs: their source folders are not what npm publishes (docs/decisions/0063-npm-packages.md).
console.error(
  'Not packed: this folder is the source. `npm run pack:sdks` makes the tarballs of all SDKs in dist/sdks.',
);
process.exit(1);

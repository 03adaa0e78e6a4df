/** Whether an image takes a built file: no tests, nor what only tests import (`*.spec-support.ts`), nor types and maps. */
export const isShipped = (file) => !/\.spec(-support)?\.|\.d\.ts$|\.map$|\.tsbuildinfo$/.test(file);

/** True if a file of a `dist` folder goes into an image. Tests, their support files, types and source maps do not. */
export const isShipped = (file) => !/\.spec[.-]|\.analysts\.|\.d\.ts$|\.map$|\.tsbuildinfo$/.test(file);

/** Whether a file of a `dist` goes into an image: neither specs and what supports them, nor types. */
export const isShipped = (file) => !/\.spec[.-]|\.d\.ts$|\.map$|\.tsbuildinfo$/.test(file);

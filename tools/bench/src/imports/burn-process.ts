/** Takes a share of a processor, the first argument, in slices of 5 ms. */
const sliceMs = 5;
const share = Math.min(0.95, Number(process.argv[2]));

setInterval(() => {
  const end = performance.now() + sliceMs;
  while (performance.now() < end);
}, sliceMs / share);

// Health check that a container engine runs inside the container: exits with 0 when the app is ready.
const url = `http://127.0.0.1:${process.env.MANAGEMENT_PORT ?? 9000}/health/ready`;
const answer = await fetch(url, { signal: AbortSignal.timeout(3_000) }).catch(() => undefined);
process.exit(answer?.ok ? 0 : 1);

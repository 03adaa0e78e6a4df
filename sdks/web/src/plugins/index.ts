export { clicks } from './clicks.js';
export { pageViews } from './page-views.js';
export { privacySignal } from './privacy-signal.js';
export { rateGuard } from './rate-guard.js';
export { register, type Registered } from './register.js';
export { sessions } from './sessions.js';
export { sharedCookie } from './shared-cookie.js';

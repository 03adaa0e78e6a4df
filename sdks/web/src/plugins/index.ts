export { clicks } from './clicks.js';
export { pageViews } from './page-views.js';
export { sessions } from './sessions.js';
export { sharedCookie } from './shared-cookie.js';

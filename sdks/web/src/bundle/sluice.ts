import { installGlobal } from './global.js';

installGlobal();

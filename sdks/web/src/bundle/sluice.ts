import { begin } from './global.js';

begin();

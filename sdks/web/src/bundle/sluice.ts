import { createClient } from '../create-client.js';
import { begin } from './global.js';

begin(createClient);

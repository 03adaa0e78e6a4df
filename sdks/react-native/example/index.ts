import { registerRootComponent } from 'expo';
import { App } from './App.js';
// Its handler must be there before the app is: the system may start the bundle for a message alone.
import './push.js';

registerRootComponent(App);

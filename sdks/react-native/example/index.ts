import { registerRootComponent } from 'expo';
import { App } from './App.js';
// Sets the background handler before the app is registered: the system may start the bundle only for a message.
import './push.js';

registerRootComponent(App);

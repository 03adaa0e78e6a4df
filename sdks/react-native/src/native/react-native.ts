// The only file that imports React Native: everything else runs without it.
import { AppState, Dimensions, Linking, Platform } from 'react-native';
import { type NativeParts } from './native-parts.js';

export const native: NativeParts = { AppState, Dimensions, Linking, Platform };

// The parts of an app's libraries that the example uses: it compiles without them (docs/decisions/0047-hermes.md).
declare module 'react' {
  export function useState<T>(first: T): [T, (next: T) => void];
  export function useEffect(work: () => void, deps: readonly unknown[]): void;
}
declare module 'react/jsx-runtime' {
  export namespace JSX {
    interface IntrinsicAttributes {
      key?: string;
    }
    type Element = object;
    interface ElementChildrenAttribute {
      children: unknown;
    }
  }
  export const jsx: (type: unknown, props: object) => JSX.Element;
  export const jsxs: typeof jsx;
}
declare module 'react-native' {
  export const View: (props: { children?: unknown }) => object;
  export const Text: (props: { children?: unknown }) => object;
  export const Button: (props: { title: string; onPress: () => void }) => object;
}
declare module 'expo' {
  export function registerRootComponent(component: () => object): void;
}
declare module 'react-native-mmkv' {
  import { type Mmkv } from '@sluice/react-native';
  export function createMMKV(options: { id: string }): Mmkv;
}
declare module '@notifee/react-native' {
  import { type Notifee } from '@sluice/react-native';
  const notifee: Notifee & {
    requestPermission(): Promise<unknown>;
    createChannel(channel: { id: string; name: string }): Promise<string>;
  };
  export default notifee;
}
declare module '@react-native-firebase/messaging' {
  type Messaging = object;
  type Handler = (message: { data?: object }) => Promise<void>;
  export function getMessaging(): Messaging;
  export function getToken(messaging: Messaging): Promise<string>;
  export function onMessage(messaging: Messaging, handler: Handler): () => void;
  export function onTokenRefresh(messaging: Messaging, handler: (token: string) => void): () => void;
  export function setBackgroundMessageHandler(messaging: Messaging, handler: Handler): void;
}

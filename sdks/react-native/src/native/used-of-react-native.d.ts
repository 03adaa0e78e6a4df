// The part of React Native that this package uses, so that its build needs no copy of React Native. An app has the real types.
declare module 'react-native' {
  interface Subscription {
    remove(): void;
  }
  export const Platform: { readonly OS: string; readonly Version: number | string; readonly constants: object };
  export const AppState: {
    readonly currentState: string | null | undefined;
    addEventListener(type: 'change', listener: (state: string) => void): Subscription;
  };
  export const Dimensions: { get(name: 'screen'): { width: number; height: number; scale: number } };
  export const Linking: {
    getInitialURL(): Promise<string | null | undefined>;
    addEventListener(type: 'url', listener: (event: { url: string }) => void): Subscription;
    openURL(url: string): Promise<unknown>;
  };
}

/** The parts of React Native that the SDK uses. */
export interface NativeParts {
  readonly Platform: {
    readonly OS: string;
    readonly Version?: string | number;
    readonly constants?: object;
  };
  readonly AppState: {
    readonly currentState: string | null | undefined;
    addEventListener(type: 'change', listener: (state: string) => void): { remove(): void } | undefined;
  };
  readonly Dimensions: {
    get(name: 'screen'): { readonly width: number; readonly height: number; readonly scale: number };
  };
  readonly Linking: {
    getInitialURL(): Promise<string | null | undefined>;
    addEventListener(type: 'url', listener: (event: { url: string }) => void): { remove(): void } | undefined;
    openURL(url: string): Promise<unknown>;
  };
}

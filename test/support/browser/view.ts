/** What a page or a frame shows, in a browser that any library drives. */
export interface View {
  evaluate<T>(expression: string): Promise<T>;
  locator(selector: string): Located;
}

/** The elements that a selector matches. */
export interface Located {
  first(): Located;
  /** Waits until an element is visible. */
  waitFor(options?: { readonly timeout?: number }): Promise<void>;
  isVisible(): Promise<boolean>;
  innerText(): Promise<string>;
}

/** The content of a page or a frame, independent of the library that drives the browser. */
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

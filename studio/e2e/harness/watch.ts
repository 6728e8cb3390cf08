// Watches a page for hidden problems: console errors, CSP violations, requests to another origin.
// Anything unexpected fails the test with the full list.
import type { BrowserContext, Page } from "@playwright/test";

/** The browser's message about a socket without a server. */
const NO_SOCKET = /^console: WebSocket connection to 'ws:\/\/127\.0\.0\.1:\d+\/ws' failed/;

export class Watch {
  private readonly seen: string[] = [];
  private readonly expected: RegExp[] = [];

  /** Expects problems that match; each begins with `console:`, `page:`, `policy:` or `request:`. */
  allow(pattern: RegExp): void {
    this.expected.push(pattern);
  }

  /** The gateway is about to stop: failing sockets are expected. */
  allowNoGateway(): void {
    this.allow(NO_SOCKET);
  }

  /** The unexpected problems. */
  get unexpected(): string[] {
    return this.seen.filter((what) => !this.expected.some((pattern) => pattern.test(what)));
  }

  async follow(context: BrowserContext, origin: () => string): Promise<void> {
    const note = (what: string) => this.seen.push(what);
    await context.exposeBinding("__policy", (_, what: string) => note(`policy: ${what}`));
    await context.addInitScript(() => {
      document.addEventListener("securitypolicyviolation", (event) => {
        const told = globalThis as unknown as { __policy(what: string): void };
        told.__policy(`${event.effectiveDirective} forbids ${event.blockedURI} at ${event.sourceFile}:${event.lineNumber}`);
      });
    });
    context.on("console", (message) => {
      if (message.type() === "error") note(`console: ${message.text()}`);
    });
    context.on("weberror", (error) => note(`page: ${String(error.error())}`));
    const leaves = (address: string) => {
      const { protocol, host } = new URL(address);
      // A `blob:` or `data:` address is not a network request.
      if (["blob:", "data:", "about:"].includes(protocol)) return;
      if (host !== new URL(origin()).host) note(`request: ${address}`);
    };
    context.on("request", (request) => leaves(request.url()));
    context.on("page", (page: Page) => page.on("websocket", (socket) => leaves(socket.url())));
  }
}

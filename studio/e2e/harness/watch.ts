// Looks at everything a page does that nobody sees: errors, broken rules of the content security policy, requests that
// leave the origin. Promises: whatever is not expected fails the test, with all of it in the message.
import type { BrowserContext, Page } from "@playwright/test";

/** What a browser says of a socket to a gateway that is not there. */
const NO_SOCKET = /^console: WebSocket connection to 'ws:\/\/127\.0\.0\.1:\d+\/ws' failed/;

export class Watch {
  private readonly seen: string[] = [];
  private readonly expected: RegExp[] = [];

  /** Lets what looks like this pass; what is seen begins with `console:`, `page:`, `policy:` or `request:`. */
  allow(pattern: RegExp): void {
    this.expected.push(pattern);
  }

  /** The gateway will be away for a while: a socket that finds nobody is no mistake of the page. */
  allowNoGateway(): void {
    this.allow(NO_SOCKET);
  }

  /** What nobody expected. */
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
      // A `blob:` or `data:` address is no request to anybody.
      if (["blob:", "data:", "about:"].includes(protocol)) return;
      if (host !== new URL(origin()).host) note(`request: ${address}`);
    };
    context.on("request", (request) => leaves(request.url()));
    context.on("page", (page: Page) => page.on("websocket", (socket) => leaves(socket.url())));
  }
}

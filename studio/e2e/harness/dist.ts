// Serves the page's files from a folder instead of from the program, with the program's own headers.
// For trying a page that is not built into a gateway yet; everything else still goes to the gateway.
import { readFile } from "node:fs/promises";
import { extname, join, normalize } from "node:path";
import type { BrowserContext } from "@playwright/test";

/** The folder, when one is given. */
export const DIST = process.env["STUDIO_DIST"];

const KINDS: Record<string, string> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
};

export async function serveDist(context: BrowserContext, dist: string, origin: string): Promise<void> {
  // A page that came from no address counts as one of the wide world, which a browser keeps from this machine.
  await context.grantPermissions(["local-network-access"], { origin });
  const rules = (await fetch(origin)).headers.get("content-security-policy");
  if (!rules) throw new Error("the gateway sends no content security policy");
  await context.route(`${origin}/**`, async (route) => {
    const { pathname } = new URL(route.request().url());
    const isPage = pathname === "/" || pathname.startsWith("/agents/");
    const path = isPage ? "/index.html" : normalize(pathname);
    const body = await readFile(join(dist, path)).catch(() => undefined);
    if (!body) return route.continue();
    const headers = { "content-type": KINDS[extname(path)] ?? "application/octet-stream", "content-security-policy": rules };
    return route.fulfill({ body, headers });
  });
}

// Serves the page from a folder instead of from the binary, with the binary's headers.
// Tries a page without rebuilding the gateway; everything else still goes to the gateway.
import { readFile } from "node:fs/promises";
import { extname, join, normalize } from "node:path";
import type { BrowserContext } from "@playwright/test";

/** The folder, if one is set. */
export const DIST = process.env["STUDIO_DIST"];

const KINDS: Record<string, string> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
};

export async function serveDist(context: BrowserContext, dist: string, origin: string): Promise<void> {
  // A page without an address counts as public, and browsers block its requests to this machine.
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

// How the page is built, and how it is tried against a running gateway.
// Promises: everything comes from the page's own origin, under hashed names, without inline script or style.
import { loadEnv } from "vite";
import { defineConfig } from "vitest/config";
import studio from "./package.json" with { type: "json" };

// The gateway answers only its own page: requests of the development server go out under the gateway's origin.
const gateway = loadEnv("", ".", "TARSUS_")["TARSUS_GATEWAY"] ?? "http://127.0.0.1:18789";
const proxy = { "/ws": { target: gateway, ws: true, changeOrigin: true, headers: { origin: gateway } } };

export default defineConfig({
  define: { __STUDIO_VERSION__: JSON.stringify(studio.version) },
  build: {
    target: "es2022",
    assetsDir: "assets",
    // A `data:` address is no part of our origin.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  server: { host: "127.0.0.1", proxy },
  // As the gateway serves it, so that what its rules forbid is seen here first.
  preview: { host: "127.0.0.1", proxy, headers: { "content-security-policy": "default-src 'self'; base-uri 'none'" } },
  test: { include: ["src/**/*.test.ts", "src/**/*.test.tsx"], environment: "node" },
});

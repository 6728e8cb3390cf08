// `npm run smooth`: measures rendering performance. Asserts nothing: the figures depend on the machine.
import base from "../playwright.config";

export default { ...base, testDir: ".", testMatch: "smooth.ts", timeout: 240_000, workers: 1 };

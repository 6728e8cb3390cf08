// `npm run smooth`: figures of how smoothly much content is shown. Nothing is asserted: they depend on the machine.
import base from "../playwright.config";

export default { ...base, testDir: ".", testMatch: "smooth.ts", timeout: 240_000, workers: 1 };

// `npm run shots`: pictures of every view, into the folder that SHOTS names, or shots/.
// `npm run shots:readme`: those of README, into docs/images.
import base from "../playwright.config";

export default { ...base, testDir: ".", testMatch: "shots.ts", timeout: 120_000, workers: 1 };

// `npm run shots`: screenshots of every view, into the folder in SHOTS, or shots/.
// `npm run shots:readme`: the screenshots in README, into docs/images.
import base from "../playwright.config";

export default { ...base, testDir: ".", testMatch: "shots.ts", timeout: 120_000, workers: 1 };

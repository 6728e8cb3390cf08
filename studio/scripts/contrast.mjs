// Computes the contrast of every pair of tokens in use, light and dark, from src/styles/tokens.css.
// Exits with 1 if one is below AA (4.5 for text, 3 for borders and large icons). `-v` prints all of them.
import { readFileSync } from "node:fs";

const source = readFileSync(new URL("../src/styles/tokens.css", import.meta.url), "utf8");
const tokens = new Map(
  [...source.matchAll(/--([\w-]+):\s*light-dark\((#[0-9a-f]{6}),\s*(#[0-9a-f]{6})\)/g)].map(
    ([, name, light, dark]) => [name, [light, dark]],
  ),
);

const luminance = (hex) => {
  const [red, green, blue] = [1, 3, 5]
    .map((at) => parseInt(hex.slice(at, at + 2), 16) / 255)
    .map((part) => (part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
};
const contrast = (one, other) => {
  const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
};

const TEXT = 4.5;
const EDGE = 3;
const on = (ground, need, ...names) => names.map((name) => [name, ground, need]);
const pairs = [
  ...["bg", "surface", "surface-2", "surface-3"].flatMap((ground) => [
    ...on(ground, TEXT, "text", "text-2", "text-3", "agent-text", "gw-text", "ok", "warn", "bad"),
    ...on(ground, EDGE, "line-strong", "agent", "gw"),
  ]),
  ...on("agent", TEXT, "agent-on"),
  ...on("agent-hover", TEXT, "agent-on"),
  ...on("gw", TEXT, "gw-on"),
  ...on("gw-hover", TEXT, "gw-on"),
  ...on("agent-soft", TEXT, "agent-text", "text", "text-2", "text-3"),
  ...on("agent-band", TEXT, "agent-band-text", "text", "text-2"),
  ...on("agent-band", EDGE, "agent"),
  ...on("gw-soft", TEXT, "gw-text", "text", "text-2", "text-3"),
  ...on("gw-band", TEXT, "gw-band-text", "gw-band-text-2"),
  ...on("gw-band-2", TEXT, "gw-band-text", "gw-band-text-2"),
  ...on("ok-soft", TEXT, "ok", "text", "text-2"),
  ...on("warn-soft", TEXT, "warn", "text", "text-2"),
  ...on("mute-soft", TEXT, "mute"),
  ...on("bad-soft", TEXT, "bad", "text", "text-2"),
  ...on("bad-solid", TEXT, "bad-on"),
  ...on("surface", EDGE, "bad-solid"),
  ...on("bg", EDGE, "bad-solid"),
  ...on("ok-soft", TEXT, "code-text"),
  ...on("bad-soft", TEXT, "code-text"),
  ...on("code-bg", TEXT, "code-text", "text-2", "text-3", "ok", "bad", "warn"),
];

let failing = 0;
for (const [name, ground, need] of pairs) {
  const [front, back] = [tokens.get(name), tokens.get(ground)];
  if (!front || !back) throw new Error(`tokens.css has no ${front ? ground : name}`);
  const [light, dark] = [0, 1].map((mode) => contrast(front[mode], back[mode]));
  const fails = Math.min(light, dark) < need;
  if (fails) failing += 1;
  if (fails || process.argv.includes("-v")) {
    console.log(`${name} on ${ground}: light ${light.toFixed(2)}, dark ${dark.toFixed(2)}, needs ${need}${fails ? " FAILS" : ""}`);
  }
}
console.log(`${pairs.length * 2} figures, ${failing} pairs below AA`);
process.exit(failing ? 1 : 0);

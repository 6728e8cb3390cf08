// Adds a skill to `skills.allowBundled`. Modifies the configuration it is given.
import type { Config, Json } from "../../../state/config";

export function withBundled(config: Config, key: string): Config {
  const skills = config["skills"];
  if (typeof skills !== "object" || skills === null || Array.isArray(skills)) return config;
  const list: Json = skills["allowBundled"] ?? null;
  if (Array.isArray(list) && !list.includes(key)) skills["allowBundled"] = [...list, key];
  return config;
}

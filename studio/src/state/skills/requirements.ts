// The requirements of a skill, met or not; and its variables, set or not.
// Pure; contains no values. A masked value counts as set.
import type { SkillStatus } from "../../generated/protocol";
import type { Config, Json } from "../config";

export type Requirement =
  | { kind: "system"; systems: string[]; isMet: boolean }
  | { kind: "program"; name: string; isMet: boolean }
  | { kind: "one-program"; names: string[]; isMet: boolean }
  | { kind: "key"; name: string; isMet: boolean }
  | { kind: "setting"; path: string; isMet: boolean }
  | { kind: "tool"; names: string[]; keys: string[]; isMet: false };

export function requirementsOf({ requirements: needs, missing, reasons }: SkillStatus): Requirement[] {
  return [
    ...(needs.os.length > 0 ? [{ kind: "system" as const, systems: needs.os, isMet: missing.os.length === 0 }] : []),
    ...needs.bins.map((name) => ({ kind: "program" as const, name, isMet: !missing.bins.includes(name) })),
    ...(needs.anyBins.length > 0
      ? [{ kind: "one-program" as const, names: needs.anyBins, isMet: missing.anyBins.length === 0 }]
      : []),
    ...needs.env.map((name) => ({ kind: "key" as const, name, isMet: !missing.env.includes(name) })),
    ...needs.config.map((path) => ({ kind: "setting" as const, path, isMet: !missing.config.includes(path) })),
    ...reasons
      .filter(({ state }) => state === "unavailable")
      .map(({ names = [], keys = [] }) => ({ kind: "tool" as const, names, keys, isMet: false as const })),
  ];
}

export type Variable = {
  name: string;
  description: string | undefined;
  isRequired: boolean;
  /** Stored as the skill's `apiKey`. */
  isMain: boolean;
  /** `here`: stored for this skill. `outside`: in the gateway's environment. */
  set: "here" | "outside" | "no";
};

/** The main one first, then required ones, then the rest. */
export function variablesOf(skill: SkillStatus, config: Config | undefined): Variable[] {
  const declared = new Map(skill.envVars?.map((variable) => [variable.name, variable]));
  const names = new Set([...(skill.primaryEnv ? [skill.primaryEnv] : []), ...skill.requirements.env, ...declared.keys()]);
  const settings = settingsOf(config, skill.skillKey);
  return [...names].map((name) => {
    const isMain = name === skill.primaryEnv;
    const isNeeded = skill.requirements.env.includes(name);
    const isKept = isSet(childObject(settings, "env")?.[name]) || (isMain && isSet(settings?.["apiKey"]));
    const isOutside = isNeeded && !skill.missing.env.includes(name);
    return {
      name,
      description: declared.get(name)?.description,
      isRequired: isNeeded || declared.get(name)?.required === true,
      isMain,
      set: isKept ? "here" : isOutside ? "outside" : "no",
    };
  });
}

const settingsOf = (config: Config | undefined, key: string) => childObject(childObject(childObject(config, "skills"), "entries"), key);

function childObject(value: Json | undefined, name: string): { [name: string]: Json } | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value) || !Object.hasOwn(value, name)) return undefined;
  const found = value[name];
  return typeof found === "object" && found !== null && !Array.isArray(found) ? found : undefined;
}

const isSet = (value: Json | undefined): boolean => value !== undefined && value !== null && value !== "";

// The eight files of a workspace: purpose, and when each is in the prompt.
export const facts = {
  "AGENTS.md": { what: "behavior.whatAgents", prompt: "behavior.inAlways" },
  "SOUL.md": { what: "behavior.whatSoul", prompt: "behavior.inFull" },
  "TOOLS.md": { what: "behavior.whatTools", prompt: "behavior.inAlways" },
  "IDENTITY.md": { what: "behavior.whatIdentity", prompt: "behavior.inFull" },
  "USER.md": { what: "behavior.whatUser", prompt: "behavior.inFull" },
  "HEARTBEAT.md": { what: "behavior.whatHeartbeat", prompt: "behavior.inFull" },
  "BOOTSTRAP.md": { what: "behavior.whatBootstrap", prompt: "behavior.inWhileThere" },
  "MEMORY.md": { what: "behavior.whatMemory", prompt: "behavior.inMain" },
} as const;

export type FileName = keyof typeof facts;

export const fileNames = Object.keys(facts) as FileName[];

/** The file in the address; the first one if it is unknown. */
export const fileOf = (item: string | undefined): FileName => fileNames.find((name) => name === item) ?? "AGENTS.md";

// Made by `cargo xtask protocol` from crates/protocol. Do not edit.

/** The kinds of changes. */
export type AppAction =
  /** The file was made. */
  | "create"
  /** A new entry. */
  | "add"
  /** New values of an entry. */
  | "edit"
  /** A new policy of an entry. */
  | "policy"
  /** An entry less. */
  | "delete";

/** A request in plain words and its answer: the answer of `tarsus apps ask`. */
export type AppAnswer = {
  /** What a chat would show. */
  answer: string;
  /** The launch or stop that the request led to. */
  run: AppRun | null;
};

/** A change of the registry: the answer of `tarsus apps create`, `add`, `edit`, `policy` and `delete`. */
export type AppChange = {
  /** Always true: a change that fails is an error. */
  ok: boolean;
  /** Which kind of change. */
  action: AppAction;
  /** The app; `null` when it is about the file. */
  name: string | null;
  /** The entry as it was; `null` when it is new. */
  before: unknown;
  /** The entry as it is; `null` when it is gone. */
  after: unknown;
  /** Whether the file is another one now; not when it said the same before. */
  saved: boolean;
};

/** The registry, checked: the answer of `tarsus apps validate`. */
export type AppCheck = {
  /** The file. */
  path: string;
  /** Whether every entry is valid. */
  ok: boolean;
  /** Every entry, in its group. */
  groups: AppGroups;
};

/** What the policy of an app said. */
export type AppDecision =
  /** Yes. */
  | "allowed"
  /** No. */
  | "denied";

/** How an entry of the registry stands. */
export type AppGroup =
  /** Nothing is wrong. */
  | "valid"
  /** Something required is not there. */
  | "incomplete"
  /** Something is of the wrong kind. */
  | "malformed"
  /** Mode and allowed agents contradict each other. */
  | "policy_mismatch";

/** The groups of a check. */
export type AppGroups = {
  /** Nothing is wrong with these. */
  valid: ValidApp[];
  /** These lack something. */
  incomplete: DoubtfulApp[];
  /** In these something is of the wrong kind. */
  malformed: DoubtfulApp[];
  /** In these mode and allowed agents contradict each other. */
  policy_mismatch: DoubtfulApp[];
};

/** The registered apps: the answer of `tarsus apps list`. */
export type AppList = {
  /** The file that they stand in. */
  registry: AppRegistry;
  /** The apps, in the order of the file. */
  apps: RegisteredApp[];
};

/** Who may launch an app, in the word that the registry and the commands have for it. */
export type AppMode =
  /** Any agent. */
  | "full"
  /** Only the agents listed. */
  | "allowlist"
  /** Nobody. */
  | "off";

/** What came of a launch or a stop. */
export type AppOutcome =
  /** It runs. */
  | "started"
  /** It was started; no process of it was seen. */
  | "requested"
  /** It ran before, and was asked to open again. */
  | "already_running"
  /** It was stopped. */
  | "stopped"
  /** It did not run. */
  | "not_running"
  /** It was not launched, or not stopped altogether. */
  | "failed"
  /** Its policy said no. */
  | "denied"
  /** Nothing is stored by which its processes could be recognised. */
  | "no_stop_data";

/** The registry file. */
export type AppRegistry = {
  /** Where it is. */
  path: string;
  /** Whether it is there. */
  exists: boolean;
  /** The hash of this version, for a change that must not meet another one. */
  hash: string | null;
};

/** A launch or a stop: the answer of `tarsus apps launch` and `tarsus apps stop`. */
export type AppRun = {
  /** The app. */
  app: string;
  /** Who asked. */
  agent: string;
  /** What its policy said. */
  decision: AppDecision;
  /** What came of it. */
  outcome: AppOutcome;
  /** The program that was run, and its arguments; empty when nothing was. */
  launcher: string[];
  /** The processes that it is about. */
  pids: number[];
  /** What went wrong, in the words of whoever said so. */
  error: string | null;
};

/** Whether one app runs. */
export type AppStatus = {
  /** Its name. */
  name: string;
  /** Whether it runs; `null` when nothing is stored to recognise it by. */
  running: boolean | null;
  /** Its processes. */
  pids: number[];
};

/** Which apps run: the answer of `tarsus apps status`. */
export type AppStatusList = {
  /** The apps, in the order of the file. */
  apps: AppStatus[];
};

/** The registered apps, counted. A registry that cannot be read counts nothing and says why. */
export type AppsStatus = {
  /** Whether there is a registry. */
  exists: boolean;
  /** The entries in it. */
  registered: number;
  /** Those that are known to run. */
  running: number;
  /** Those that nobody may launch. */
  off: number;
  /** Those whose entry is not valid. */
  doubtful: number;
  /** Why the registry cannot be read; `null` when it can. */
  problem: string | null;
};

/** The last line of the audit chain. */
export type AuditHead = {
  /** Its number. */
  seq: number;
  /** Its hash. */
  hash: string;
};

/** The audit chain. */
export type AuditStatus = {
  /** How many lines there are. */
  records: number;
  /** Whether every line follows from the one before it. */
  verified: boolean;
  /** The last line; `null` while there is none. */
  head: AuditHead | null;
  /** Lines that could not be written for acts that may not wait (deny, stop, revoke). */
  lost: number;
};

/** One piece of a message. */
export type Block =
  /** Text. */
  | (TextBlock & {
    type: "text";
  })
  /** What the model thought before it answered. */
  | (ThinkingBlock & {
    type: "thinking";
  })
  /** A picture. */
  | (ImageBlock & {
    type: "image";
  })
  /** The model calls a tool. */
  | (ToolCallBlock & {
    type: "toolCall";
  })
  /** A kind that this version does not know. */
  | OtherBlock;

/** What keeps a skill from being used, other than a missing need. */
export type BlockedBy =
  /** What was found in its files. */
  | "security"
  /** The list of bundled skills that are allowed. */
  | "allowlist"
  /** The agent's list of skills. */
  | "agent";

/** One thing that was looked at. */
export type Check = {
  /** A name that scripts may rely on. */
  id: string;
  /** What was looked at, in a few words. */
  title: string;
  /** How it stands. */
  level: Level;
  /** What was found. */
  message: string;
  /** What to do about it. */
  fix?: string;
};

/** Something odd. */
export type CheckDiagnostic = {
  /** A word for programs. */
  code: string;
  /** What it is, and what to do about it. */
  message: string;
  /** The line of the file, when there is one. */
  line?: number;
};

/** Why a file does not load. */
export type CheckError = {
  /** A word for programs. */
  code: string;
  /** What OpenClaw's loader says. */
  message: string;
  /** The line of the file, when there is one. */
  line?: number;
};

/** One way to install what a skill needs, with the fields that it declares. */
export type CheckInstall = {
  kind: string;
  id?: string;
  label?: string;
  bins?: string[];
  os?: string[];
  formula?: string;
  package?: string;
  module?: string;
  url?: string;
  sha256?: string;
  archive?: string;
  extract?: boolean;
  /** A number of JavaScript: whole ones are written without a point. */
  stripComponents?: unknown;
  targetDir?: string;
};

/** What a skill needs. */
export type CheckRequires = {
  /** Programs, all of them. */
  bins: string[];
  /** Programs, one of them. */
  anyBins: string[];
  /** Environment variables. */
  env: string[];
  /** Paths in `openclaw.json`. */
  config: string[];
};

/** How many skills there are of each kind. One that is shadowed counts only as that. */
export type CheckSummary = {
  /** Every skill that is not shadowed. */
  total: number;
  eligible: number;
  modelVisible: number;
  commandVisible: number;
  disabled: number;
  blocked: number;
  agentFiltered: number;
  notInjected: number;
  missingRequirements: number;
  shortened: number;
  invalid: number;
  degraded: number;
  shadowed: number;
};

/** What a block declares under a name that OpenClaw does not read. */
export type CheckVendor = {
  /** The name. */
  vendor: string;
  /** What it says is needed. */
  requires: CheckRequires | null;
  /** The systems it names. */
  os: string[] | null;
  /** Whether it would skip every gate. */
  always: boolean | null;
  /** The variable that its one key would go to. */
  primaryEnv: string | null;
  /** A sign for lists. */
  emoji: string | null;
  /** Where to read more. */
  homepage: string | null;
  /** The key of its settings. */
  skillKey: string | null;
  /** Its installers. */
  install: CheckInstall[];
};

/** The error of a failed command. */
export type CliError = {
  /** The one word that scripts may rely on. */
  code: ErrorCode;
  /** Tells this shape from others. */
  type: CliErrorKind;
  /** What went wrong, in a sentence. */
  message: string;
  /** What to do next. */
  hint: string;
  /** Where, if it is in a file. */
  location?: Place;
  /** Why, and what follows. */
  notes?: string[];
};

/** The name of the shape. */
export type CliErrorKind =
  /** An error of the command line. */
  | "cli_error";

/** What a failed command prints with `--json`: `{"ok":false,"error":{…}}`. */
export type CliFailure = {
  /** Always false. */
  ok: false;
  /** What went wrong. */
  error: CliError;
  /** The skill that it is about, as it was asked for. */
  skill?: string;
};

/** A place of the configuration that a skill needs. */
export type ConfigCheck = {
  /** The place, with dots. */
  path: string;
  /** Whether something is there. */
  satisfied: boolean;
};

/** One remark about the configuration. */
export type ConfigIssue = {
  /** The key, as in `agents.list[0].model`; empty for the whole file. */
  path: string;
  /** What is wrong with it. */
  message: string;
  /** Line in the file, from 1. */
  line: number | null;
  /** Column in that line, in characters, from 1. */
  column: number | null;
};

/** The configuration file as it is now. */
export type ConfigStatus = {
  /** The file. */
  path: string;
  /** Whether it is there; without it the defaults hold. */
  exists: boolean;
  /** Whether it can be used. */
  valid: boolean;
  /** What makes it unusable. */
  issues: ConfigIssue[];
  /** What is odd but does no harm. */
  warnings: ConfigIssue[];
};

/** What `tarsus doctor` looked at. */
export type DoctorReport = {
  /** One entry a check, in the order they were made. */
  checks: Check[];
};

/** An entry with its faults. */
export type DoubtfulApp = {
  /** The app. */
  name: string;
  /** All of them. */
  reasons: string[];
};

/** What went wrong, in one word that scripts may rely on. */
export type ErrorCode =
  /** Something failed that no other code names. */
  | "failed"
  /** The command or the request is not well formed. */
  | "usage"
  /** A change was not confirmed. */
  | "not-confirmed"
  /** Policy says no. */
  | "denied"
  /** Nothing of that name. */
  | "not-found"
  /** More than one thing of that name. */
  | "ambiguous"
  /** A file is not what it has to be. */
  | "malformed"
  /** A file or a request is larger or deeper than allowed. */
  | "too-large"
  /** The thing changed since it was read. */
  | "stale"
  /** A file cannot be read or written. */
  | "io"
  /** This account may not use a file. */
  | "permission"
  /** No space is left. */
  | "disk-full"
  /** Another process is in the way. */
  | "busy"
  /** The audit chain does not hold. */
  | "tampered"
  /** Warnings were found and --strict was asked for. */
  | "warnings"
  /** The gateway does not answer. */
  | "gateway-unreachable"
  /** It took too long. */
  | "timed-out"
  /** Ctrl-C. */
  | "interrupted";

/** The error of a reply on the wire. */
export type ErrorShape = {
  /** The class of the error. */
  code: WireCode;
  /** What went wrong, in a sentence; some clients match on its words. */
  message: string;
  /** What else a client may act on. */
  details?: unknown;
  /** Whether the same request may succeed later without a change. */
  retryable?: boolean;
};

/** Something happened. Properties that this version does not know are left out. */
export type EventFrame = {
  /** What happened. */
  event: string;
  /** To what. */
  payload?: unknown;
  /** The number of this event on this connection; numbers have no gaps. */
  seq?: number;
  /** Which state the event brings a client up to. */
  stateVersion?: StateVersion;
};

/** One frame, in either direction. */
export type Frame =
  /** A client asks. */
  | {
    type: "req";
    /** Chosen by the client; the reply carries it. */
    id: string;
    /** What to do. */
    method: string;
    /** With what. */
    params?: unknown;
  }
  /** The gateway answers. */
  | (ResponseFrame & {
    type: "res";
  })
  /** The gateway tells. */
  | (EventFrame & {
    type: "event";
  });

/** Whether the gateway runs, and where. A gateway that holds the lock but does not answer has a process and nothing more. */
export type GatewayStatus = {
  /** Whether a process holds the state folder. */
  running: boolean;
  /** That process. */
  pid: number | null;
  /** The port it listens on. */
  port: number | null;
  /** The addresses it listens on, with port. */
  addresses: string[];
  /** How long it has been ready. */
  uptimeMs: number | null;
  /** Its version, which may differ from the version of who asks. */
  version: string | null;
};

/** The answer of `/healthz`: the process is there and answers. */
export type Health = {
  /** Always true: a gateway that is not well does not answer. */
  ok: true;
  /** The word that probes look for. */
  status: Liveness;
};

/** Where things are. */
export type HomeStatus = {
  /** The state folder. */
  stateDir: string;
  /** The default agent's workspace. */
  workspace: string;
};

/** A picture. */
export type ImageBlock = {
  /** Its bytes in base64. */
  data: string;
  /** What they are, as in `image/png`. */
  mimeType: string;
};

/** By what something is installed. */
export type InstallBy = "brew" | "node" | "go" | "uv" | "download";

/** How serious a finding is; the greatest is the most serious. */
export type Level =
  /** As it should be. */
  | "ok"
  /** Works, but should be looked at. */
  | "warning"
  /** Does not work. */
  | "error";

/** The word of `/healthz`. */
export type Liveness =
  /** The process answers. */
  | "live";

/** One message of a conversation. */
export type Message = {
  /** What is said. */
  content: Block[];
  /** When, in milliseconds since 1970. */
  timestamp?: number;
} & (
  /** A person, or what stands in for one. */
  | {
    role: "user";
  }
  /** The model. */
  | {
    role: "assistant";
  }
  /** The rules that the model is given. */
  | {
    role: "system";
  }
  /** A tool, after a call. */
  | {
    role: "toolResult";
    /** The call that it answers. */
    toolCallId: string;
    /** The tool. */
    toolName: string;
    /** Whether the call failed. */
    isError: boolean;
    /** What a surface may show besides the content; the model does not see it. */
    details?: unknown;
  }
  /** A remark of the runtime, such as a run that failed before it answered. */
  | {
    role: "custom";
    /** What kind of remark. */
    customType: string;
  });

/** A skill that needs something that is not there. */
export type MissingRequirements = {
  /** The skill. */
  name: string;
  /** What is not there. */
  missing: SkillNeeds;
  /** How it can be installed, the best way first. */
  install: SkillInstall[];
};

/** A ready skill that the model is not told of. */
export type NotInjected = {
  /** Its name. */
  name: string;
  /** Why not. */
  reason: NotInjectedReason;
  /** The limit that was reached. */
  limit: number;
};

/** Why a ready skill is not in the prompt. */
export type NotInjectedReason =
  /** As many skills are listed as may be. */
  | "max-skills-in-prompt"
  /** The list has as many characters as it may have. */
  | "max-skills-prompt-chars";

/** A block of a kind that this version does not know, kept as it came. */
export type OtherBlock = {
  type: string;
};

/** Where in a file something was found. Lines and columns count from 1; columns count characters. */
export type Place = {
  /** The file. A name that is not UTF-8 is shown with replacement characters. */
  path: string;
  /** Line, where it is known. */
  line?: number;
  /** Column in that line, in characters. */
  column?: number;
};

/** The answer of `/readyz`: whether work can be handed over. */
export type Ready = {
  /** Whether nothing is failing. */
  ready: boolean;
  /** What is not ready, by name. */
  failing: string[];
  /** How long the gateway has been up. */
  uptimeMs: number;
};

/** One app: the answer of `tarsus apps show`. */
export type RegisteredApp = {
  /** Its name. */
  name: string;
  /** What is launched. */
  launch_path: string | null;
  /** The program that then runs. */
  runtime_exe: string | null;
  /** The name of its process. */
  process_name: string | null;
  /** Who may launch it, in one word. */
  mode: AppMode | null;
  /** The agents listed. */
  allowed_agents: string[];
  /** How the entry stands. */
  group: AppGroup;
  /** Why it does not stand better. */
  reasons: string[];
  /** Whether it runs; `null` when nothing is stored to recognise it by. */
  running: boolean | null;
  /** Its processes. */
  pids: number[];
};

/** The reply to one request: it succeeded or it failed. */
export type ResponseFrame = {
  id: string;
  ok: true;
  payload?: unknown;
} | {
  id: string;
  ok: false;
  error: ErrorShape;
};

/** The code of an error on the wire, as front ends know it. */
export type RpcCode =
  /** The request cannot be carried out as it is. */
  | "INVALID_REQUEST"
  /** The caller may not do this. */
  | "FORBIDDEN"
  /** The gateway cannot do this now. */
  | "UNAVAILABLE";

/** How many skills are clean. */
export type ScanCounts = {
  /** Nothing was found in these. */
  clean: number;
  /** Something was found that a person should look at. */
  warning: number;
  /** Something was found that must not run. */
  blocked: number;
};

/** The skill that is used in place of another one of its name. */
export type ShadowedBy = {
  /** Where it came from. */
  source: string;
  /** Its SKILL.md. */
  filePath: string;
};

/** One file. `ok` is what OpenClaw's loader says. A file that loads has every field; a degraded one has the same fields beside its `error`; of a malformed one only `path`, `ok`, `error`, `degraded` and `diagnostics` are not null. */
export type SkillCheck = {
  /** The file, as it was named. */
  path: string;
  /** Whether it loads. */
  ok: boolean;
  /** Why it does not. */
  error?: CheckError;
  /** The name: from the frontmatter, else the folder's. */
  name: string | null;
  /** When to use it. */
  description: string | null;
  /** The key of its settings. */
  skillKey: string | null;
  /** What it needs; null when the metadata does not say. */
  requires: CheckRequires | null;
  /** The systems it runs on; null when none is named. */
  os: string[] | null;
  /** Whether it skips every gate; null when the metadata does not say. */
  always: boolean | null;
  /** The variable that its one key goes to. */
  primaryEnv: string | null;
  /** A sign for lists. */
  emoji: string | null;
  /** Where to read more: from the metadata, else from the frontmatter. */
  homepage: string | null;
  /** How what it needs can be installed; null for a malformed file. */
  install: CheckInstall[] | null;
  /** Whether people may invoke it. */
  userInvocable: boolean | null;
  /** Whether the model is not told of it. */
  disableModelInvocation: boolean | null;
  /** The title for people. */
  displayName: string | null;
  /** The slash command before clashes are settled. */
  slashBase: string | null;
  /** Whether the name is the folder's. */
  nameFromDir: boolean | null;
  /** A block under a name that OpenClaw does not read. */
  vendorMetadata?: CheckVendor;
  /** Whether a name and a description could be read although the file does not load. */
  degraded: boolean;
  /** What is odd about it. */
  diagnostics: CheckDiagnostic[];
};

/** Something odd. */
export type SkillDiagnostic = {
  /** A word for programs. */
  code: string;
  /** What it is, and what to do about it. */
  message: string;
  /** The line of the skill's file. */
  line?: number;
  /** The file or folder, when it is not the skill's. */
  path?: string;
};

/** One way to install what a skill needs. */
export type SkillInstall = {
  /** What to ask for. */
  id: string;
  /** By what. */
  kind: InstallBy;
  /** What to say. */
  label: string;
  /** The programs that it brings. */
  bins: string[];
};

/** Needs of a skill, by kind. */
export type SkillNeeds = {
  /** Programs, all of them. */
  bins: string[];
  /** Programs, one of them. */
  anyBins: string[];
  /** Environment variables. */
  env: string[];
  /** Places in the configuration. */
  config: string[];
  /** Systems, one of them. */
  os: string[];
};

/** How a skill stands, in a word. The first that holds is the one that is said. */
export type SkillState =
  /** Another skill of its name is used. */
  | "shadowed"
  /** Its file cannot be read. */
  | "invalid"
  /** A look into its files found what must not run. */
  | "blocked"
  /** It is switched off. */
  | "disabled"
  /** It is a bundled one that is not on the list of those allowed. */
  | "not allowed"
  /** Its file can be read only in part. */
  | "degraded"
  /** It is not on the agent's list. */
  | "filtered"
  /** Something that it needs is not there. */
  | "missing"
  /** It can be used. */
  | "ready";

/** How one skill stands: the answer of `tarsus skills info`. */
export type SkillStatus = {
  /** Its name; of one that cannot be read, the folder's. */
  name: string;
  /** When to use it. */
  description: string;
  /** Where it came from, as one of the six ids. */
  source: string;
  /** Whether Tarsus brought it along. */
  bundled: boolean;
  /** Its SKILL.md. */
  filePath: string;
  /** Its folder. */
  baseDir: string;
  /** The key of its settings. */
  skillKey: string;
  /** A sign for lists. */
  emoji?: string;
  /** Where to read more. */
  homepage?: string;
  /** The variable that its one key goes to. */
  primaryEnv?: string;
  /** Whether it asks to be there whatever is missing. */
  always: boolean;
  /** Whether it is switched off. */
  disabled: boolean;
  /** Whether it is a bundled one that `skills.allowBundled` does not name. */
  blockedByAllowlist: boolean;
  /** Whether the agent's list of skills does not name it. */
  blockedByAgentFilter: boolean;
  /** Whether it could be used here; the agent's list does not count. */
  eligible: boolean;
  /** Whether it is for other systems. */
  platformIncompatible: boolean;
  /** Whether the model may be told of it. */
  modelVisible: boolean;
  /** Whether it lets people invoke it. */
  userInvocable: boolean;
  /** Whether people can invoke it here. */
  commandVisible: boolean;
  /** What it needs. */
  requirements: SkillNeeds;
  /** What of this is not there. */
  missing: SkillNeeds;
  /** Each needed place of the configuration; never its value. */
  configChecks: ConfigCheck[];
  /** How what it needs can be installed here, the best way first. */
  install: SkillInstall[];
  /** How it stands, in a word. */
  status: SkillState;
  /** Whether something other than a missing need keeps it from being used. */
  blocked: boolean;
  /** What does. */
  blockedBy: BlockedBy | null;
  /** The skill of the same name that is used in its place. */
  shadowedBy?: ShadowedBy;
  /** SHA-256 of its SKILL.md. */
  contentHash?: string;
  /** What is odd about it. */
  diagnostics: SkillDiagnostic[];
  /** How far it is trusted; left out while nobody has judged it. */
  trust?: Trust;
  /** What it may use; left out while nobody has judged it. */
  capabilities?: unknown;
  /** What a look into its files found; left out while nobody has looked. */
  scan?: unknown;
};

/** A skill that was switched: the answer of `tarsus skills enable` and `disable`. */
export type SkillSwitched = {
  /** Always true: a change that fails is an error. */
  ok: boolean;
  /** Its name. */
  name: string;
  /** The key of its settings. */
  skillKey: string;
  /** Whether it is switched on now. */
  enabled: boolean;
  /** Whether it was otherwise before. */
  changed: boolean;
  /** How it stands now. */
  status: SkillState;
};

/** How all skills stand together: the answer of `tarsus skills check`. */
export type SkillsCheck = {
  /** The agent. */
  agentId: string;
  /** Its folder. */
  workspaceDir: string;
  /** Where skills for every agent are installed. */
  managedSkillsDir: string;
  /** How many there are of each kind. */
  summary: CheckSummary;
  /** Usable here. */
  eligible: string[];
  /** The model may be told of these. */
  modelVisible: string[];
  /** People can invoke these. */
  commandVisible: string[];
  /** Switched off. */
  disabled: string[];
  /** Kept from being used by a finding, or by the list of bundled skills that are allowed. */
  blocked: string[];
  /** Not on the agent's list. */
  agentFiltered: string[];
  /** Ready, but not in the prompt: its list is full. */
  notInjected: string[];
  /** These need something that is not there. */
  missingRequirements: MissingRequirements[];
  /** In the prompt with a cut description, or none. */
  shortened: string[];
  /** Their files cannot be read. */
  invalid: string[];
  /** Their files can be read only in part. */
  degraded: string[];
  /** Others of their names are used. */
  shadowed: string[];
  /** What is odd about no skill in particular. */
  diagnostics: SkillDiagnostic[];
  /** Skills by what they may use; left out while nobody has judged them. */
  capabilities?: Record<string, string[]>;
  /** What is refused at present and why; left out while nobody has judged the skills. */
  policy?: unknown;
  /** How many are clean; left out while nobody has looked. */
  scan?: ScanCounts;
};

/** A look at the disk: the answer of `tarsus skills refresh`. */
export type SkillsRefreshed = {
  /** Always true: a look that fails is an error. */
  ok: boolean;
  /** The version of the snapshot now. */
  version: number;
  /** How many skills there are now; one that is shadowed does not count. */
  total: number;
  /** New since the last look. */
  added: string[];
  /** Other than at the last look. */
  changed: string[];
  /** Gone since the last look. */
  removed: string[];
};

/** The skills of an agent: the answer of `tarsus skills list` and `skills.status`. */
export type SkillsReport = {
  /** The agent's folder. */
  workspaceDir: string;
  /** Where skills for every agent are installed. */
  managedSkillsDir: string;
  /** The agent. */
  agentId: string;
  /** The version of the snapshot that this was made from. */
  version?: number;
  /** Every skill, sorted by name; a shadowed one after the one that shadows it. */
  skills: SkillStatus[];
  /** Ready skills that the model is not told of, because the list in its prompt is full. */
  notInjected: NotInjected[];
  /** Skills whose descriptions are cut in that list. */
  shortened: string[];
  /** What is odd about no skill in particular: limits that were reached, folders left out, unknown names. */
  diagnostics: SkillDiagnostic[];
};

/** How many skills stand how. */
export type SkillsStatus = {
  /** They can be used. */
  ready: number;
  /** Something that they need is not there. */
  needSetup: number;
  /** A look into their files found what must not run. */
  blocked: number;
  /** Their files cannot be read, or only in part. */
  unreadable: number;
  /** Limits that were reached while they were looked for. */
  limitsReached: number;
};

/** The numbers of the states that a client mirrors. */
export type StateVersion = {
  /** Who is there. */
  presence: number;
  /** How the gateway is. */
  health: number;
};

/** What is there: the answer of `tarsus status`. */
export type StatusReport = {
  /** The version of the program that made this report. */
  version: string;
  /** The gateway of this state folder. */
  gateway: GatewayStatus;
  /** The default model as `provider/model`; none is configured when `null`. */
  model: string | null;
  /** The default agent's skills; `null` before the first start. */
  skills: SkillsStatus | null;
  /** The registered apps. */
  apps: AppsStatus;
  /** The configuration file. */
  config: ConfigStatus;
  /** The audit chain. */
  audit: AuditStatus;
  /** Where things are. */
  home: HomeStatus;
};

/** Text. */
export type TextBlock = {
  /** The text. */
  text: string;
};

/** What the model thought before it answered. */
export type ThinkingBlock = {
  /** The thought. */
  thinking: string;
  /** The provider's seal on it, which it wants back unchanged. */
  thinkingSignature?: string;
};

/** The model calls a tool. */
export type ToolCallBlock = {
  /** The id that the result carries. */
  id: string;
  /** The tool. */
  name: string;
  /** What it is called with. */
  arguments: Record<string, unknown>;
};

/** How far a skill is trusted. */
export type Trust =
  /** Tarsus brought it along. */
  | "builtin"
  /** It is this user's own. */
  | "local"
  /** It was installed from elsewhere. */
  | "community";

/** An entry without a fault. */
export type ValidApp = {
  /** The app. */
  name: string;
};

/** A code on the wire: one of ours, or one that a newer gateway made up. */
export type WireCode =
  /** A code that this version knows. */
  | RpcCode
  /** A code that it does not know. */
  | string;

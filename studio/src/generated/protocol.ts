// Made by `cargo xtask protocol` from crates/protocol. Do not edit.

/** The payload of `agent`. */
export type Agent = {
  /** The run. */
  runId: string;
  /** The session. */
  sessionKey: string;
  /** Counts what is told of the run. */
  seq: number;
  /** When, in milliseconds since 1970. */
  ts: number;
} & (
  /** How far the run is. */
  | {
    stream: "lifecycle";
    data: Lifecycle;
  }
  /** What is said. */
  | {
    stream: "assistant";
    data: AssistantText;
  }
  /** What the model thinks before it answers. */
  | {
    stream: "thinking";
    data: AssistantText;
  }
  /** A tool is called, or has answered. */
  | {
    stream: "tool";
    data: ToolTold;
  }
  /** The same in a line for people. */
  | {
    stream: "item";
    data: ItemTold;
  }
  /** What a request to a model took. */
  | {
    stream: "usage";
    data: UsageTold;
  });

/** A message that was taken, and where. */
export type AgentAccepted = {
  /** The run: the idempotency key. */
  runId: string;
  /** The session. */
  sessionKey: string;
  /** The word for it. */
  status: AgentAcceptedStatus;
  /** When, in milliseconds since 1970. */
  acceptedAt: number;
};

/** That a message was taken. */
export type AgentAcceptedStatus =
  /** It is. */
  | "accepted";

/** A tool that was called. */
export type AgentCall = {
  /** The tool. */
  name: string;
  /** Whether it worked; false while it has no result. */
  ok: boolean;
  /** How long it took, in milliseconds. */
  ms: number;
};

/** An agent that was changed. */
export type AgentChanged = {
  /** Always true: what fails is an error. */
  ok: boolean;
  /** The agent. */
  agentId: string;
};

/** A new agent. */
export type AgentCreateParams = {
  /** Its name, of which its id is made. */
  name: string;
  /** The folder it works in. */
  workspace?: string;
  /** Its language model. */
  model?: string;
  /** Whether nothing is made: what it would be is answered, or why it cannot be. */
  dryRun?: boolean;
};

/** An agent that is new, or would be. */
export type AgentCreated = {
  /** Always true: what fails is an error. */
  ok: boolean;
  /** Its id. */
  agentId: string;
  /** Its name. */
  name: string;
  /** The folder it works in. */
  workspace: string;
};

/** An agent that is gone. */
export type AgentDeleted = {
  /** Always true: what fails is an error. */
  ok: boolean;
  /** The agent. */
  agentId: string;
  /** Bindings to it that were taken out as well. */
  removedBindings: number;
};

/** One agent. */
export type AgentEntry = {
  /** Its id. */
  id: string;
  /** Its name. */
  name?: string;
  /** How it presents itself. */
  identity?: AgentIdentity;
  /** The folder it works in. */
  workspace: string;
  /** Its language model. */
  model?: AgentModel;
};

/** One file of an agent. */
export type AgentFile = {
  /** Its name. */
  name: string;
  /** Where it is, or would be. */
  path: string;
  /** Whether it is not there. */
  missing: boolean;
  /** Its bytes. */
  size?: number;
  /** What it says; only where one file was asked for. */
  content?: string;
  /** Why it cannot be read; only in a list. */
  problem?: string;
};

/** One file of an agent, as it is. */
export type AgentFileAnswer = {
  /** The agent. */
  agentId: string;
  /** The folder it is in. */
  workspace: string;
  /** What a change of the file names as what was seen; of one that is not there, that of an empty one. */
  hash: string;
  /** The file. */
  file: AgentFile;
};

/** A file of an agent. */
export type AgentFileParams = {
  /** The agent. */
  agentId: string;
  /** The file. */
  name: string;
};

/** A file of an agent, and what it is to say. */
export type AgentFileSetParams = {
  /** The agent. */
  agentId: string;
  /** The file. */
  name: string;
  /** The new text. */
  content: string;
  /** The hash of the file that was seen; without one the file is written whatever it says. */
  baseHash?: string;
};

/** One file of an agent, after it was written. */
export type AgentFileWritten = {
  /** Always true: what fails is an error. */
  ok: boolean;
  /** The agent. */
  agentId: string;
  /** The folder it is in. */
  workspace: string;
  /** What a change of the file names as what was seen; of one that is not there, that of an empty one. */
  hash: string;
  /** The file. */
  file: AgentFile;
};

/** The files of an agent. */
export type AgentFiles = {
  /** The agent. */
  agentId: string;
  /** The folder they are in. */
  workspace: string;
  /** All eight. */
  files: AgentFile[];
};

/** One agent. */
export type AgentHealth = {
  /** Its id. */
  agentId: string;
  /** Its name. */
  name?: string;
  /** Whether it is meant when none is named. */
  isDefault: boolean;
  /** Its sessions. */
  sessions: RecentSessions;
};

/** How an agent presents itself. */
export type AgentIdentity = {
  /** Its name. */
  name?: string;
  /** Its theme, in a few words. */
  theme?: string;
  /** One emoji. */
  emoji?: string;
  /** A picture in the workspace, or a `data:` address. */
  avatar?: string;
  /** The address of a picture. */
  avatarUrl?: string;
};

/** The language model of an agent. */
export type AgentModel = {
  /** `provider/model`. */
  primary: string;
};

/** An agent. */
export type AgentParams = {
  /** Its id. */
  agentId: string;
};

/** A message for an agent, wherever it is said. */
export type AgentParams2 = {
  /** What is said. */
  message: string;
  /** What makes a repetition the same message: the id of its run. */
  idempotencyKey: string;
  /** The agent; that of the session, else the default one, when not set. */
  agentId?: string;
  /** The session; the agent's main one when not set. */
  sessionKey?: string;
  /** The model that answers this time, as `provider/model`. */
  model?: string;
  /** Pictures and text files. */
  attachments?: ChatAttachment[];
  /** Whether the reply goes to a channel as well; there is none yet. */
  deliver?: boolean;
};

/** What a run came to: the answer of `tarsus agent`. */
export type AgentResult = {
  /** The run. */
  runId: string;
  /** The session. */
  sessionKey: string;
  /** The agent. */
  agentId: string;
  /** The model that answered; `null` when none did. */
  model: string | null;
  /** How it ended. */
  status: AgentStatus;
  /** What was answered, as far as it was shown. */
  text: string;
  /** The message that it is a reply to. */
  replyTo?: string;
  /** Whether the agent chose to say nothing. */
  silent: boolean;
  /** What it took. */
  usage: AgentUsage;
  /** The tools that were called, in order. */
  toolCalls: AgentCall[];
  /** Why it came to nothing. */
  error?: string;
};

/** The sessions of an agent that were written to last. */
export type AgentSessions = {
  /** The agent. */
  agentId: string;
  /** How many there are in all. */
  count: number;
  /** The newest of them. */
  recent: RecentSession[];
};

/** How a run ended. */
export type AgentStatus =
  /** It goes on. */
  | "running"
  /** With an answer. */
  | "ok"
  /** It failed. */
  | "error"
  /** It was called off. */
  | "aborted"
  /** Its process ended before it did. */
  | "interrupted";

/** New values for an agent; what is not named stays. */
export type AgentUpdateParams = {
  /** The agent. */
  agentId: string;
  /** Its name. */
  name?: string;
  /** The folder it works in. */
  workspace?: string;
  /** Its language model. */
  model?: string;
};

/** What a run took. */
export type AgentUsage = {
  /** Requests to models. */
  requests: number;
  /** Tokens that were sent. */
  input: number;
  /** Tokens that came back. */
  output: number;
  /** Tokens that providers had kept. */
  cacheRead: number;
  /** Tokens that providers keep from now on. */
  cacheWrite: number;
  /** Dollars, as far as prices are known. */
  cost: number;
};

/** Which run, and how long. */
export type AgentWaitParams = {
  /** The run. */
  runId: string;
  /** At most so long; 30 seconds when not set. */
  timeoutMs?: number;
};

/** A run, as it was when the wait ended. */
export type AgentWaited = {
  /** The run. */
  runId: string;
  /** How it ended, or that it has not. */
  status: RunStatus;
  /** When it began, in milliseconds since 1970. */
  startedAt: number;
  /** When it ended. */
  endedAt?: number;
  /** Why it came to nothing. */
  error?: string;
  /** What it came to, once it is over. */
  result?: AgentResult;
};

/** Every agent. */
export type AgentsList = {
  /** The agent that is meant when none is named. */
  defaultId: string;
  /** The last part of the key of a main session: `agent:<id>:<mainKey>`. */
  mainKey: string;
  /** Who shares a session. */
  scope: string;
  /** The agents, in the order of the configuration. */
  agents: AgentEntry[];
};

/** A launch or a stop that somebody had done elsewhere, with what else there is to say of it: the answer of the gateway. */
export type AppActed = {
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
  /** What was run, tried before, or became of each process, for people; a line each. */
  notes: string[];
  /** What to do about a failure. */
  hint: string | null;
  /** What went wrong, in one word. */
  code?: ErrorCode;
};

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

/** An app that is to go. */
export type AppDeleteParams = {
  /** The app. */
  name: string;
  /** The hash of the registry that was seen. */
  baseHash?: string;
};

/** An app that is gone, with what it takes to put it back. */
export type AppDeleted = {
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
  /** What was taken out. */
  removed: RemovedApp;
};

/** What an app is; names as in the registry. */
export type AppEntry = {
  /** What is launched. */
  launch_path: string;
  /** The program that then runs. */
  runtime_exe?: string;
  /** The name of its process. */
  process_name?: string;
  /** Who may launch it, in one word. */
  mode: AppMode;
  /** The agents of an allowlist. */
  allowed_agents?: string[];
};

/** One fault of an entry. */
export type AppFault =
  /** The entry itself is something else. */
  | {
    code: "not-an-object";
    /** What it is. */
    found: ValueKind;
  }
  /** A field that holds text holds something else. */
  | {
    code: "not-text";
    /** Which field. */
    field: string;
    /** What it holds. */
    found: ValueKind;
  }
  /** A mode that does not exist. */
  | {
    code: "unknown-mode";
    /** The word, cut to what can be shown. */
    mode: string;
  }
  /** `allowed_agents` is something else. */
  | {
    code: "agents-not-a-list";
    /** What it is. */
    found: ValueKind;
  }
  /** A value in `allowed_agents` is not text. */
  | {
    code: "agent-not-text";
    /** Which one, from 1. */
    position: number;
    /** What it is. */
    found: ValueKind;
  }
  /** A required field is not there, or empty. */
  | {
    code: "missing";
    /** Which field. */
    field: string;
  }
  /** `allowlist` without agents. */
  | {
    code: "nobody-listed";
  }
  /** `full` or `off` with agents, who have no say there. */
  | {
    code: "agents-left-over";
    /** Which of the two. */
    mode: AppMode;
  };

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

/** What becomes another; names as in the registry. What is not named stays, what is `null` is taken out. */
export type AppPatch = {
  /** What is launched. */
  launch_path?: string;
  /** The program that then runs. */
  runtime_exe?: ChangeOfstring;
  /** The name of its process. */
  process_name?: ChangeOfstring;
  /** Who may launch it, in one word. */
  mode?: AppMode;
  /** The agents of an allowlist; only beside a mode. */
  allowed_agents?: string[];
};

/** A change of an entry that was agreed to. */
export type AppPatchParams = {
  /** The app. */
  name: string;
  /** What becomes another. */
  patch: AppPatch;
  /** The hash of the registry that was seen. */
  baseHash?: string;
};

/** The registry file. */
export type AppRegistry = {
  /** Where it is. */
  path: string;
  /** Whether it is there. */
  exists: boolean;
  /** The hash of this version, for a change that must not meet another one. */
  hash: string | null;
};

/** An app that is to come back. */
export type AppRestoreParams = {
  /** The app. */
  name: string;
  /** The entry, as it was written. */
  written: string;
  /** The app that it stood in front of; without one, or when that is gone, it goes last. */
  before?: string;
  /** The hash of the registry that was seen. */
  baseHash?: string;
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

/** An app, and for whom. */
export type AppRunParams = {
  /** The app, by its exact name. */
  name: string;
  /** The agent that asks; the default one when not set. */
  agentId?: string;
  /** The variables of the desktop that it is to appear on, instead of the gateway's own; for administrators. */
  session?: Record<string, string>;
};

/** An entry of the registry that was agreed to. */
export type AppSaveParams = {
  /** The app. */
  name: string;
  /** What it is. */
  entry: AppEntry;
  /** The hash of the registry that was seen. */
  baseHash?: string;
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

/** An app that is to stop, and for whom. */
export type AppStopParams = {
  /** The app, by its exact name. */
  name: string;
  /** The agent that asks; the default one when not set. */
  agentId?: string;
  /** Whether the person said yes to stopping what is `off`. */
  confirmed?: boolean;
};

/** A call that waits for the owner's word. */
export type Approval = {
  /** What an answer names: the number of the question in the audit record. */
  id: string;
  /** What is asked. */
  request: ApprovalRequest;
  /** When it was asked, in milliseconds since 1970. */
  createdAtMs: number;
  /** When it counts as refused, in milliseconds since 1970. */
  expiresAtMs: number;
};

/** An answer. */
export type ApprovalAnswer = {
  /** The question. */
  id: string;
  /** The answer. */
  decision: ApprovalDecision;
};

/** An answer. */
export type ApprovalDecision =
  /** Yes, this time. */
  | "allow-once"
  /** Yes, and the same need not be asked again. */
  | "allow-always"
  /** No. */
  | "deny";

/** The calls that wait. */
export type ApprovalList = {
  /** One entry a call, the oldest first. */
  approvals: Approval[];
};

/** What is asked. */
export type ApprovalRequest = {
  /** What would be done, in full. */
  command: string;
  /** The tool. */
  tool: string;
  /** The folder that it would be done in. */
  cwd: string;
  /** Who wants to do it. */
  agentId: string;
  /** The session that it would be done in. */
  sessionKey: string;
  /** The run that waits. */
  runId: string;
  /** Why it is asked, a sentence each without a full stop. */
  reasons: string[];
  /** The answers that there are. */
  allowedDecisions: ApprovalDecision[];
};

/** The payload of `exec.approval.resolved`: a question is over. */
export type ApprovalResolved = {
  /** The question. */
  id: string;
  /** What it came to. */
  decision: ApprovalDecision;
  /** Who or what ended it. */
  resolvedBy: ResolvedBy;
  /** When, in milliseconds since 1970. */
  ts: number;
};

/** The answer was taken. */
export type ApprovalTaken = {
  /** Always true: what fails is an error. */
  ok: boolean;
};

/** What the file of approved commands says. Its parts belong to whoever checks commands; here they are kept as they are. */
export type Approvals = {
  /** The version of the file. */
  version: number;
  /** Where questions are answered. */
  socket?: Record<string, unknown>;
  /** What holds for every agent. */
  defaults?: Record<string, unknown>;
  /** What holds for one, by its id. */
  agents?: Record<string, unknown>;
};

/** The file of approved commands. */
export type ApprovalsFile = {
  /** Where it is. */
  path: string;
  /** Whether it is there. */
  exists: boolean;
  /** The hash that a change has to name. */
  hash: string;
  /** What it says. */
  file: Approvals;
};

/** A new version of the file. */
export type ApprovalsParams = {
  /** What it is to say. */
  file: Approvals;
  /** The hash of the file that was seen; needed when there is a file. */
  baseHash?: string;
};

/** What was done to an app. */
export type AppsAction =
  /** The file was made. */
  | "create"
  /** An entry is new or another one. */
  | "save"
  /** An entry is gone. */
  | "delete"
  /** It was launched. */
  | "launch"
  /** It was stopped. */
  | "stop"
  /** The file is another one, and it was not changed through the gateway. */
  | "change";

/** The payload of `apps.changed`. */
export type AppsChanged = {
  /** What was done. */
  action: AppsAction;
  /** The app; `null` when it is about the file. */
  name: string | null;
  /** The hash of the registry now; `null` while there is none. */
  hash: string | null;
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

/** When a person is asked. */
export type Ask =
  /** Never. */
  | "off"
  /** When a program is not on the list. */
  | "on-miss"
  /** Every time. */
  | "always";

/** What an agent has said. */
export type AssistantText = {
  /** So far. */
  text: string;
  /** Last. */
  delta: string;
};

/** The bounds of what comes with a message. */
export type AttachmentPolicy = {
  /** Bytes of all of it. */
  maxBytes: number;
  /** Bytes of a picture. */
  maxImageBytes: number;
};

/** The categories of records. */
export type AuditCategory =
  /** Blocked, refused, asked, granted, launched, stopped. */
  | "security"
  /** What the owner did with the program. */
  | "operation";

/** The audit chain, checked. */
export type AuditCheck = {
  /** Whether every line follows from the one before it. */
  ok: boolean;
  /** Lines that hold. */
  lines: number;
  /** Files that were read. */
  files: number;
  /** What is wrong first, and where; `null` when nothing is. */
  firstBad: string | null;
};

/** The last line of the audit chain. */
export type AuditHead = {
  /** Its number. */
  seq: number;
  /** Its hash. */
  hash: string;
};

/** How serious a record is. */
export type AuditLevel =
  /** For the record. */
  | "info"
  /** Worth a look. */
  | "warning"
  /** Something was stopped, or should have been. */
  | "critical";

/** Which records of the audit chain. */
export type AuditParams = {
  /** Of this category alone. */
  category?: AuditCategory;
  /** At least this serious. */
  level?: AuditLevel;
  /** Not older than this moment, as in `2026-01-31T12:00:00Z`. */
  since?: string;
  /** At most so many (100). */
  limit?: number;
};

/** Records of the audit chain. */
export type AuditRecords = {
  /** The records, oldest first, as `tarsus audit export` has them. */
  records: unknown[];
  /** Lines on the way that are no records. */
  unreadable: number;
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

/** What lets a client in. */
export type AuthMethod =
  /** The gateway's token. */
  | "token"
  /** The gateway's password. */
  | "password"
  /** The token of the device. */
  | "device-token"
  /** Nothing. */
  | "none";

/** A file of a backup. */
export type BackedUp = {
  /** Its path in the backup, which is the one below the state folder. */
  path: string;
  /** Its bytes. */
  bytes: number;
};

/** Where to. */
export type BackupParams = {
  /** The folder, as an absolute path, in which the new one is made; `<state>/tarsus/backups` when not set. */
  to?: string;
};

/** A backup. */
export type BackupReport = {
  /** The folder that was made. */
  folder: string;
  /** When, in milliseconds since 1970. */
  madeAt: number;
  /** The files in it, as they lie there. */
  files: BackedUp[];
  /** What should be in it and could not be read. */
  leftOut: NotBackedUp[];
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
  /** A text file that a person attached. */
  | (FileBlock & {
    type: "file";
  })
  /** The model calls a tool. */
  | (ToolCallBlock & {
    type: "toolCall";
  })
  /** A page of the Application Manager. The text block right before it holds the same page, for clients that do not know menus. */
  | (MenuBlock & {
    type: "menu";
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

/** A blocked skill, with the finding that decides. */
export type BlockedSkill = {
  /** Its name. */
  name: string;
  /** What was found; nothing when it could not be looked into. */
  finding: Finding | null;
};

/** One kind of power that a skill can ask for. */
export type Capability =
  /** Start programs. */
  | "shell"
  /** Change files. */
  | "filesystem"
  /** Reach other machines. */
  | "network"
  /** Drive a browser. */
  | "browser"
  /** Start and address other sessions. */
  | "sessions"
  /** Send messages to people. */
  | "messaging"
  /** Plan work for later. */
  | "scheduling";

/** A capability that a skill uses, with the first place that shows it. */
export type CapabilityUse = {
  /** The capability. */
  capability: Capability;
  /** The file, below the folder, with `/`. */
  file: string;
  /** Line, from 1. */
  line: number;
  /** Column in characters, from 1. */
  column: number;
  /** The text, at most 160 characters, secrets masked. */
  excerpt: string;
  /** Further files that show it, which are not listed. */
  more: number;
};

/** Whose tools. */
export type CatalogParams = {
  /** The agent; the default one when not set. */
  agentId?: string;
};

/** A tool, and whether an agent has it. */
export type CatalogTool = {
  /** The name that models call it by. */
  id: string;
  /** The same; it is what people read in a chat. */
  label: string;
  /** What it is for. */
  description: string;
  /** Where it comes from. */
  source: ToolSource;
  /** The sets that it is in. */
  defaultProfiles: string[];
  /** Whether the agent has it. */
  allowed: boolean;
  /** Why it has or has not. */
  reason: string;
  /** The key of the configuration that takes it away. */
  deniedBy?: string;
  /** What a community skill that has a say needs before this tool may be called; nothing for one that only looks. */
  needs: Capability | null;
};

/** The kind of harm. */
export type Category =
  /** Takes the agent away from its own rules. */
  | "prompt-injection"
  /** Pretends to be something around the skill: a tag, a message, a tool's answer, a seal. */
  | "boundary-spoofing"
  /** Claims more attention or trust than a skill has. */
  | "capability-inflation"
  /** Makes the person install something that the skill does not need. */
  | "fake-prerequisite"
  /** Runs what somebody else serves. */
  | "remote-execution"
  /** Hides what is run. */
  | "obfuscation"
  /** Sends away what is not its own. */
  | "exfiltration"
  /** Reads keys, passwords, wallets. */
  | "credentials"
  /** Stays after the task: start-up files, schedules, the agent's own files. */
  | "persistence"
  /** Takes rights or switches protection off. */
  | "privilege"
  /** Deletes or spoils. */
  | "destructive"
  /** Gives somebody else a shell. */
  | "reverse-shell"
  /** Computes for somebody else. */
  | "miner"
  /** Installs from where nobody looks. */
  | "supply-chain"
  /** Holds a real key. */
  | "secrets"
  /** Holds text that people do not see. */
  | "hidden-text"
  /** A file that cannot be looked into, or is not what it says. */
  | "files"
  /** Uses something else than it declares. */
  | "capability-mismatch";

/** The first words of the gateway on a connection: the payload of `connect.challenge`. */
export type Challenge = {
  /** What a device signs, so that no signature can be used twice. */
  nonce: string;
  /** The gateway's time, in milliseconds since 1970. */
  ts: number;
  /** What the gateway can do beyond the protocol; nothing yet. */
  capabilities: string[];
};

/** A new value, or `null` to take away what was set. */
export type ChangeOfAsk = Ask | null;

/** A new value, or `null` to take away what was set. */
export type ChangeOfExecHost = ExecHost | null;

/** A new value, or `null` to take away what was set. */
export type ChangeOfSecurity = Security | null;

/** A new value, or `null` to take away what was set. */
export type ChangeOfThinkingLevel = ThinkingLevel | null;

/** A new value, or `null` to take away what was set. */
export type ChangeOfstring = string | null;

/** The payload of `chat`. */
export type Chat = {
  /** The run. */
  runId: string;
  /** The session. */
  sessionKey: string;
  /** Counts what is told of the run. */
  seq: number;
  /** How far the reply is. */
  state: ChatState;
  /** What is done before a model is asked, where the state is `status`. */
  phase?: ChatPhase;
  /** What has been said so far. */
  message?: Message;
  /** What was said last. */
  deltaText?: string;
  /** Why the reply is complete. */
  stopReason?: StopReason;
  /** Why there is no reply. */
  errorMessage?: string;
  /** The same in one word, where there is one. */
  noAnswer?: NoAnswer;
};

/** Which runs are to end. */
export type ChatAbortParams = {
  /** The session. */
  sessionKey: string;
  /** Only this one. */
  runId?: string;
};

/** Runs that were called off. */
export type ChatAborted = {
  /** Always true: a request that fails is an error. */
  ok: boolean;
  /** Whether there were any. */
  aborted: boolean;
  /** Which. Nothing was done for them, and their `chat` event says `aborted`. */
  runIds: string[];
  /** Runs that do something already, such as launching an app: they end with what comes of it, and their `chat` event tells that. */
  finishing: string[];
};

/** A picture or a file that comes with a message. */
export type ChatAttachment = {
  /** What the client takes it for, as in `image`; its bytes decide. */
  type?: string;
  /** What the client takes its bytes for, as in `image/png`; they decide. */
  mimeType?: string;
  /** Its name. */
  fileName?: string;
  /** Its bytes, in base64 or as a `data:` URL. */
  content: string;
};

/** A page of a transcript. */
export type ChatHistory = {
  /** The session. */
  sessionKey: string;
  /** Its id; `null` while nothing was said. */
  sessionId: string | null;
  /** The items, the oldest first. */
  messages: HistoryItem[];
  /** Messages that wait to be written; none ever does. */
  pendingInputs: unknown[];
  /** Whether there are more: newer ones where `after` was asked for, else older ones. */
  hasMore: boolean;
  /** How many items the transcript has. */
  totalMessages: number;
  /** Tokens that the session has taken, in all its transcripts. */
  totalTokens: number;
  /** What holds where the session sets nothing. */
  defaults: ModelChoice;
  /** The session; `null` while there is none. */
  sessionInfo: SessionEntry | null;
};

/** Which items of a transcript. */
export type ChatHistoryParams = {
  /** The session. */
  sessionKey: string;
  /** The id that it had before a reset; its present transcript when not set. */
  sessionId?: string;
  /** At most so many; 200 when not set. */
  limit?: number;
  /** Only those after this number, the oldest first: how a client goes on. */
  after?: number;
  /** Only those before this number, the newest of them. */
  before?: number;
};

/** What is done before a model is asked. */
export type ChatPhase =
  /** It is found out who answers, and where. */
  | "preparing_workspace"
  /** What the model is told is gathered. */
  | "preparing_context"
  /** The model is about to be asked. */
  | "starting_model";

/** A message for an agent. */
export type ChatSendParams = {
  /** The session. */
  sessionKey: string;
  /** What is said. */
  message: string;
  /** What makes a repetition the same message: the id of its run. */
  idempotencyKey: string;
  /** Pictures and text files. */
  attachments?: ChatAttachment[];
  /** Whether the reply goes to a channel as well; there is none yet. */
  deliver?: boolean;
};

/** How far the run of a message is. */
export type ChatSendStatus =
  /** It begins. */
  | "started"
  /** The same message was sent before, and its run goes on. */
  | "in_flight"
  /** The same message was sent before, and was answered. */
  | "ok"
  /** The same message was sent before, and its run failed or was ended. */
  | "error";

/** A message that was taken. */
export type ChatSent = {
  /** The run: the idempotency key. */
  runId: string;
  /** How far it is. */
  status: ChatSendStatus;
};

/** How far a reply is. */
export type ChatState =
  /** It is being prepared. */
  | "status"
  /** More may come. */
  | "delta"
  /** It is complete. */
  | "final"
  /** Somebody ended the run. */
  | "aborted"
  /** The run failed. */
  | "error";

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
  /** Those that are blocked by what was found in them are among these. */
  blocked: number;
  /** Only those that are blocked by what was found in them. */
  blockedBySecurity: number;
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

/** The programs that are known. */
export type ClientId = "webchat-ui" | "openclaw-control-ui" | "openclaw-browser-copilot" | "openclaw-tui" | "webchat" | "cli" | "gateway-client" | "openclaw-macos" | "openclaw-linux" | "openclaw-ios" | "openclaw-watchos" | "openclaw-android" | "node-host" | "openclaw-worker" | "test" | "fingerprint" | "openclaw-probe";

/** The program at the other end. */
export type ClientInfo = {
  /** Which program. */
  id: ClientId;
  /** A name for people. */
  displayName?: string;
  /** Its version; nothing depends on it. */
  version: string;
  /** The system it runs on. */
  platform: string;
  /** The kind of machine. */
  deviceFamily?: string;
  /** The machine's model. */
  modelIdentifier?: string;
  /** How it is used. */
  mode: ClientMode;
  /** Tells two windows of the same program apart. */
  instanceId?: string;
};

/** How a program is used. */
export type ClientMode =
  /** A page for conversations. */
  | "webchat"
  /** A command line. */
  | "cli"
  /** An application with windows. */
  | "ui"
  /** A server. */
  | "backend"
  /** A machine lent to the gateway. */
  | "node"
  /** A helper that works for the gateway. */
  | "worker"
  /** Somebody who only looks whether the gateway is there. */
  | "probe"
  /** A test. */
  | "test";

/** What a client is. */
export type ClientRole =
  /** Acts for the owner. */
  | "operator"
  /** Lends the gateway a machine. */
  | "node";

/** The payload of `config.changed`. */
export type ConfigChanged = {
  /** The file. */
  path: string;
  /** Its hash now. */
  hash: string;
  /** When, in milliseconds since 1970. */
  ts: number;
};

/** A place of the configuration that a skill needs. */
export type ConfigCheck = {
  /** The place, with dots. */
  path: string;
  /** Whether something is there. */
  satisfied: boolean;
};

/** What is wrong with a value of the configuration, in one word. */
export type ConfigFault =
  /** The file cannot be read. */
  | "unreadable"
  /** No key of this name is known. */
  | "unknown-key"
  /** A value of another kind is expected. */
  | "wrong-value"
  /** It names a variable that is not set. */
  | "variable-not-set"
  /** An entry lacks a key. */
  | "missing-key"
  /** Agents stand in a second place, which does not count. */
  | "second-place"
  /** An agent is there twice. */
  | "agent-twice"
  /** An id that no agent can have. */
  | "not-an-agent-id"
  /** There is more than what is listed. */
  | "not-listed";

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
  /** The same as the message, in one word. */
  code?: ConfigFault;
};

/** The file after a patch. */
export type ConfigPatched = {
  /** Always true: a change that fails is an error. */
  ok: boolean;
  /** Where it is. */
  path: string;
  /** Its hash now. */
  hash: string;
  /** Its values now. */
  config: unknown;
  /** The places that are different now. */
  changedPaths: string[];
};

/** What a running gateway has not taken over from the files of the configuration. Everything else is in force. */
export type ConfigReload = {
  /** Files that cannot be used as they are; what they said before holds. */
  rejected: RejectedFile[];
  /** Keys whose value in the files holds after a restart, as `gateway.port`. */
  needsRestart: string[];
  /** The hash of `openclaw.json` as it was when it was looked at last, in force or not. */
  hash?: string;
};

/** The description of the file. */
export type ConfigSchema = {
  /** The JSON Schema. */
  schema: unknown;
  /** The version of the program that it belongs to. */
  version: string;
};

/** The file as it is shown. */
export type ConfigSnapshot = {
  /** Where it is. */
  path: string;
  /** Whether it is there. */
  exists: boolean;
  /** Its text; `null` when it cannot be read as JSON5. */
  raw: string | null;
  /** Whether every value can be used. */
  valid: boolean;
  /** Its values; `agents.list` is always there. */
  config: unknown;
  /** The hash that a change has to name. */
  hash: string;
  /** What is wrong. */
  issues: ConfigIssue[];
  /** What is odd but does no harm. */
  warnings: ConfigIssue[];
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

/** A change of the file. */
export type ConfigWriteParams = {
  /** The whole configuration, or the patch, as JSON5. */
  raw: string;
  /** The hash of the file that was seen; needed when there is a file. */
  baseHash?: string;
};

/** The file after a change. */
export type ConfigWritten = {
  /** Always true: a change that fails is an error. */
  ok: boolean;
  /** Where it is. */
  path: string;
  /** Its hash now. */
  hash: string;
  /** Its values now. */
  config: unknown;
};

/** What a client shows to be let in. */
export type ConnectAuth = {
  /** The gateway's token, or the token of the device. */
  token?: string;
  /** The gateway's password. */
  password?: string;
  /** The token that the gateway gave the device. */
  deviceToken?: string;
};

/** A device that proves itself by its Ed25519 key. */
export type ConnectDevice = {
  /** SHA-256 of the public key, in hexadecimal. */
  id: string;
  /** The key, 32 bytes in URL-safe base64 without padding. */
  publicKey: string;
  /** Its signature of who asks for what, in the same base64. */
  signature: string;
  /** When it was signed, in milliseconds since 1970. */
  signedAt: number;
  /** The challenge that was signed. */
  nonce?: string;
};

/** The parameters of `connect`. */
export type ConnectParams = {
  /** The oldest version of the protocol that the client speaks. */
  minProtocol: number;
  /** The newest one. */
  maxProtocol: number;
  /** The program. */
  client: ClientInfo;
  /** What it is to the gateway; an operator when not set. */
  role?: ClientRole;
  /** What it would like to be allowed. A word that is no scope grants nothing. */
  scopes?: string[];
  /** What it can show beyond the protocol. */
  caps?: string[];
  /** What a node can be told to do. */
  commands?: string[];
  /** What a node's machine allows. */
  permissions?: Record<string, boolean>;
  /** Where a node looks for programs. */
  pathEnv?: string;
  /** The language of the person. */
  locale?: string;
  /** The browser. */
  userAgent?: string;
  /** What opens the gateway. */
  auth?: ConnectAuth;
  /** The device, with its signature. */
  device?: ConnectDevice;
};

/** The bounds of a connection. */
export type ConnectionPolicy = {
  /** Bytes of a frame. */
  maxPayload: number;
  /** Bytes that may wait for the client. */
  maxBufferedBytes: number;
  /** Time between ticks, in milliseconds. */
  tickIntervalMs: number;
  /** What may come with a message. */
  attachments: AttachmentPolicy;
};

/** Whether the owner has seen what a skill asks for. */
export type Consent =
  /** It asks for nothing, or nothing is enforced on it. */
  | "not-needed"
  /** Seen, for the folder as it is. */
  | "seen"
  /** Not seen yet. */
  | "unseen"
  /** Seen before the folder changed. */
  | "changed"
  /** Seen before the folder changed, and it asks for more now. */
  | "widened";

/** SHA-256 over the names and bytes of everything in a skill's folder: 64 digits in lower case. */
export type ContentHash = string;

/** One day. */
export type CostDay = {
  /** The day. */
  date: string;
  /** Tokens that were sent, those that a provider keeps among them. */
  input: number;
  /** Tokens that came back. */
  output: number;
  /** Both. */
  totalTokens: number;
  /** In dollars, as far as prices are known. */
  totalCost: number;
};

/** Which days. */
export type CostParams = {
  /** The first day, as in `2026-01-31`. */
  startDate?: string;
  /** The last day; today when not set. */
  endDate?: string;
  /** So many days up to the last one, where no first one is named; 30 when not set. */
  days?: number;
};

/** What the models cost. Days are those of UTC. */
export type CostReport = {
  /** When this was found, in milliseconds since 1970. */
  updatedAt: number;
  /** One entry a day on which a model was called. */
  daily: CostDay[];
  /** All of them together. */
  totals: CostTotals;
};

/** Tokens and money. */
export type CostTotals = {
  /** Tokens that were sent, those that a provider keeps among them. */
  input: number;
  /** Tokens that came back. */
  output: number;
  /** Both. */
  totalTokens: number;
  /** In dollars, as far as prices are known. */
  totalCost: number;
};

/** The jobs; there are none yet. */
export type CronJobs = {
  /** One entry a job. */
  jobs: unknown[];
};

/** Which jobs. */
export type CronListParams = {
  /** Whether those that are switched off are wanted too. */
  includeDisabled?: boolean;
};

/** Whether jobs are run. */
export type CronStatus = {
  /** Not yet. */
  enabled: boolean;
  /** How many there are. */
  jobs: number;
  /** When the next one is due, in milliseconds since 1970. */
  nextWakeAtMs: number | null;
};

/** The token of a device. */
export type DeviceTokenParams = {
  /** The device; the one that asks when not set. */
  deviceId?: string;
  /** What it is to the gateway with this token; the same as who asks when not set. */
  role?: ClientRole;
};

/** A token that opens nothing any more. */
export type DeviceTokenRevoked = {
  /** Always true: what fails is an error. */
  ok: boolean;
  /** The device. */
  deviceId: string;
  /** What it was to the gateway. */
  role: ClientRole;
  /** Since when, in milliseconds since 1970. */
  revokedAtMs: number;
};

/** What is odd about a skill, in one word. */
export type DiagnosticCode =
  /** The file has another name than SKILL.md. */
  | "WRONG_FILE_NAME"
  /** There is no block of settings at the top. */
  | "NO_FRONTMATTER"
  /** The block of settings does not end. */
  | "UNTERMINATED_FRONTMATTER"
  /** The block of settings is no map. */
  | "INVALID_ROOT"
  /** There is no name. */
  | "NO_NAME"
  /** There is no description. */
  | "NO_DESCRIPTION"
  /** YAML: an alias has a tag or an anchor. */
  | "ALIAS_PROPS"
  /** YAML: an anchor or an alias has no name. */
  | "BAD_ALIAS"
  /** YAML: no such escape in double quotes. */
  | "BAD_DQ_ESCAPE"
  /** YAML: a line begins in the wrong column. */
  | "BAD_INDENT"
  /** YAML: a text without quotes begins with a sign that has a meaning. */
  | "BAD_SCALAR_START"
  /** YAML: a map inside of a line of another. */
  | "BLOCK_AS_IMPLICIT_KEY"
  /** YAML: lines of a block inside of brackets. */
  | "BLOCK_IN_FLOW"
  /** YAML: the same key twice. */
  | "DUPLICATE_KEY"
  /** YAML: a key is too long. */
  | "KEY_OVER_1024_CHARS"
  /** YAML: a sign is missing. */
  | "MISSING_CHAR"
  /** YAML: a key takes more than one line. */
  | "MULTILINE_IMPLICIT_KEY"
  /** YAML: two anchors for one value. */
  | "MULTIPLE_ANCHORS"
  /** YAML: more than one document. */
  | "MULTIPLE_DOCS"
  /** YAML: nested too deeply. */
  | "RESOURCE_EXHAUSTION"
  /** YAML: a tab at the beginning of a line. */
  | "TAB_AS_INDENT"
  /** YAML: a tag that nobody knows. */
  | "TAG_RESOLVE_FAILED"
  /** YAML: something stands where it does not belong. */
  | "UNEXPECTED_TOKEN"
  /** YAML: an alias leads nowhere, or to too much. */
  | "YAML_EXCEPTION"
  /** What it requires cannot be read. */
  | "metadata-unreadable"
  /** What it requires stands under a name that is not read. */
  | "vendor-metadata"
  /** A way to install what it needs is left out. */
  | "installer-dropped"
  /** How its command is carried out is ignored. */
  | "dispatch-ignored"
  /** A line was read although it is no YAML. */
  | "line-repaired"
  /** Its folder's name is used. */
  | "name-from-folder"
  /** Other programs may refuse its name. */
  | "name-outside-rule"
  /** Name and folder differ. */
  | "name-not-folder"
  /** Other programs refuse so long a description. */
  | "description-outside-rule"
  /** Tools of its own are not offered. */
  | "tools-not-offered"
  /** A setting for it has no effect. */
  | "setting-without-effect"
  /** Its files changed while they were read. */
  | "not-looked-into"
  /** As many skills were found as may be. */
  | "limit-reached"
  /** A folder or a file was left out. */
  | "skipped"
  /** It stands in for one that Tarsus brings along. */
  | "covers-bundled"
  /** The agent's list names a skill that is not there. */
  | "unknown-skill";

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
  /** The same for a page in another language, in the same order. */
  faults?: AppFault[];
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

/** Where programs run. */
export type ExecHost =
  /** In a sandbox. */
  | "sandbox"
  /** Where the gateway runs. */
  | "gateway"
  /** On another machine. */
  | "node";

/** What works, by name; nothing else does. */
export type Features = {
  /** Every method. */
  methods: string[];
  /** Every event. */
  events: string[];
  /** What goes beyond methods and events; nothing yet. */
  capabilities: string[];
};

/** A text file that a person attached. */
export type FileBlock = {
  /** Its name. */
  fileName: string;
  /** What is in it. */
  text: string;
};

/** One thing that was found. */
export type Finding = {
  /** The rule's id. */
  rule: string;
  /** What was found, in a few words. */
  title: string;
  /** How serious it is here. */
  severity: Severity;
  /** How serious the rule is by itself. */
  baseSeverity: Severity;
  /** The kind of harm. */
  category: Category;
  /** The entry of OWASP's Agentic Skills Top 10. */
  owasp: string;
  /** The file, below the folder, with `/`. */
  file: string;
  /** Line, from 1. */
  line: number;
  /** Column in characters, from 1. */
  column: number;
  /** Line of the end, from 1. */
  endLine: number;
  /** Column behind the last character, from 1. */
  endColumn: number;
  /** The part of the file. */
  segment: Segment;
  /** What had to be decoded to see it, the outermost first. */
  layers: Layer[];
  /** The text, at most 160 characters, secrets masked. */
  excerpt: string;
  /** Why it matters. */
  why: string;
  /** What to do. */
  fix: string;
  /** Why it counts for less than its rule. */
  loweredBy: Mention[];
  /** Why it counts for more than its rule. */
  raisedBy: Raised[];
  /** Further places of the same rule in this file, which are not listed. */
  more: number;
  /** The same for the same text in the same file, wherever it moves. */
  fingerprint: string;
  /** Whether a person has accepted the rule for exactly these files: it does not count for the verdict. */
  accepted: boolean;
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
  /** How it stands to the files of the configuration. */
  configReload: ConfigReload | null;
};

/** The answer of `/healthz`: the process is there and answers. */
export type Health = {
  /** Always true: a gateway that is not well does not answer. */
  ok: true;
  /** The word that probes look for. */
  status: Liveness;
};

/** What `health` takes. */
export type HealthParams = {
  /** Whether to look afresh; this gateway always does. */
  probe?: boolean;
};

/** How the gateway is: the answer of `health` and the payload of the event. */
export type HealthSummary = {
  /** Always true: a gateway that is not well does not answer. */
  ok: boolean;
  /** When this was found, in milliseconds since 1970. */
  ts: number;
  /** How long it took. */
  durationMs: number;
  /** The agent that is meant when none is named. */
  defaultAgentId: string;
  /** Every agent. */
  agents: AgentHealth[];
  /** The time between heartbeats; 0 while there are none. */
  heartbeatSeconds: number;
  /** Channels by id; there are none yet. */
  channels: Record<string, unknown>;
  /** Their order. */
  channelOrder: string[];
  /** Their names. */
  channelLabels: Record<string, string>;
  /** What is not taken over from the files of the configuration. */
  configReload: ConfigReload;
};

/** The heartbeat of an agent. */
export type Heartbeat = {
  /** The agent. */
  agentId: string;
  /** Whether it has one; not yet. */
  enabled: boolean;
};

/** The heartbeats of all agents. */
export type Heartbeats = {
  /** One entry an agent. */
  agents: Heartbeat[];
};

/** What the client may do. */
export type HelloAuth = {
  /** What let it in. */
  method: AuthMethod;
  /** What it is to the gateway. */
  role: ClientRole;
  /** What it may do. */
  scopes: Scope[];
  /** What opens the gateway for this device from now on. */
  deviceToken?: string;
  /** Since when that holds, in milliseconds since 1970. */
  issuedAtMs?: number;
};

/** The name of the payload. */
export type HelloKind =
  /** The client is in. */
  | "hello-ok";

/** The payload of the reply to `connect`. */
export type HelloOk = {
  /** Tells this payload from others. */
  type: HelloKind;
  /** The version of the protocol that holds on this connection. */
  protocol: number;
  /** The program. */
  server: ServerInfo;
  /** What works. */
  features: Features;
  /** How things stand. */
  snapshot: Snapshot;
  /** What the client may do. */
  auth: HelloAuth;
  /** The bounds of this connection. */
  policy: ConnectionPolicy;
};

/** An item of a transcript. */
export type HistoryItem = {
  /** What is said. */
  content: Block[];
  /** When, in milliseconds since 1970. */
  timestamp?: number;
  /** Its number, by which reading goes on after it. */
  number: number;
  /** The run that it belongs to. */
  runId?: string;
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
    /** Why there is no answer, where it is about that. */
    noAnswer?: NoAnswer;
  });

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

/** What came of an installation. */
export type InstallOutcome =
  /** It worked. */
  | "installed"
  /** It did not. */
  | "failed"
  /** It took too long, and was ended. */
  | "timed-out"
  /** Somebody ended it, or the gateway did as it stopped. */
  | "stopped";

/** Where the program of an installation writes to. */
export type InstallStream =
  /** Its output. */
  | "stdout"
  /** What it says besides. */
  | "stderr";

/** How far something is that is done in a run. */
export type ItemPhase =
  /** It begins. */
  | "start"
  /** It goes on. */
  | "update"
  /** It is over. */
  | "end";

/** How something stands that is done in a run. */
export type ItemStatus =
  /** It is on its way. */
  | "running"
  /** It worked. */
  | "completed"
  /** It did not. */
  | "failed";

/** Something that is done in a run, in a line for people. */
export type ItemTold = {
  /** What it is: `tool:` and the id of a call. */
  itemId: string;
  /** Whether it begins or ends. */
  phase: ItemPhase;
  /** The line. */
  title: string;
  /** How it stands. */
  status: ItemStatus;
};

/** How a text was hidden from a plain reader. */
export type Layer =
  /** Base64. */
  | "base64"
  /** Hexadecimal digits. */
  | "hex"
  /** `\x41`, `\u0041`, `\101`. */
  | "escapes"
  /** `%41`. */
  | "percent"
  /** `&#65;`. */
  | "entities"
  /** Numbers of characters. */
  | "character-codes"
  /** Pieces of text that are put together when the program runs. */
  | "joined-text"
  /** Written backwards. */
  | "reversed"
  /** Letters moved by thirteen. */
  | "rot13"
  /** Compressed. */
  | "gzip"
  /** Unicode tag characters, which nobody sees. */
  | "tag-characters"
  /** Unicode variation selectors, which nobody sees. */
  | "variation-selectors";

/** How serious a finding is; the greatest is the most serious. */
export type Level =
  /** As it should be. */
  | "ok"
  /** Works, but should be looked at. */
  | "warning"
  /** Does not work. */
  | "error";

/** How far a run is. */
export type Lifecycle =
  /** It begins to answer. */
  | {
    phase: "start";
    /** When, in milliseconds since 1970. */
    startedAt: number;
  }
  /** A model is asked. */
  | {
    phase: "model";
    /** `provider/model`. */
    model: string;
    /** Which try of it, from 1. */
    attempt: number;
  }
  /** The answer broke off: what was said of it does not count, and it is asked for again. */
  | {
    phase: "retry";
    /** Why. */
    reason: string;
  }
  /** It is over. */
  | {
    phase: "end";
    /** When, in milliseconds since 1970. */
    endedAt: number;
    /** Whether somebody ended it. */
    aborted: boolean;
  }
  /** It failed. */
  | {
    phase: "error";
    /** When, in milliseconds since 1970. */
    endedAt: number;
    /** Why. */
    error: string;
  };

/** The word of `/healthz`. */
export type Liveness =
  /** The process answers. */
  | "live";

/** How serious a line of the log is; the least comes last. */
export type LogLevel = "error" | "warn" | "info" | "debug" | "trace";

/** Lines of the log. */
export type LogLines = {
  /** The file. */
  file: string;
  /** The place to go on from. */
  cursor: number;
  /** The bytes of the file. */
  size: number;
  /** The lines, oldest first. */
  lines: string[];
  /** Whether lines were left out because there were too many. */
  truncated: boolean;
  /** Whether the file is another one than that of the given place. */
  reset: boolean;
};

/** Which lines of the log. */
export type LogsParams = {
  /** The place that the last answer ended at; the newest lines when not set. */
  cursor?: number;
  /** At most so many lines (500). */
  limit?: number;
  /** At most so many bytes (250,000). */
  maxBytes?: number;
  /** Of this part of the program alone, such as `tarsus_gateway`. */
  category?: string;
  /** At least this serious. */
  level?: LogLevel;
  /** Not older than this moment, as in `2026-01-31T12:00:00Z`. */
  since?: string;
};

/** Why a finding counts for less: the text speaks of something rather than doing it. */
export type Mention =
  /** It stands in quotation marks or a block quote. */
  | "quoted"
  /** It stands in a table. */
  | "tabulated"
  /** The words before it warn of it. */
  | "negated"
  /** The section is about what to look out for. */
  | "explained"
  /** The file is a test's. */
  | "fixture"
  /** The skill says that it looks for such things. */
  | "security-tool";

/** A page of the Application Manager with the replies that a person can choose. Only the runtime adds one to a message: text that looks like a page never becomes a menu. */
export type MenuBlock = {
  /** Results of the previous reply, shown above the page. */
  notices?: string[];
  /** The headline. */
  title: string;
  /** The body above the choices, line by line. */
  lines: string[];
  /** The replies on offer, in order. */
  choices: MenuChoice[];
  /** Instructions below the choices, line by line. */
  hints?: string[];
};

/** One reply on offer in a menu. */
export type MenuChoice = {
  /** The button's label. */
  label: string;
  /** The message to send when it is chosen. */
  reply: string;
  /** The state of the labelled thing, such as `running`. */
  badge?: string;
  /** The heading of the group that the choice belongs to. */
  group?: string;
};

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
    /** Why there is no answer, where it is about that. */
    noAnswer?: NoAnswer;
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

/** A language model in its two parts; empty while none is chosen. */
export type ModelChoice = {
  /** The first part of `provider/model`. */
  modelProvider?: string;
  /** The second part. */
  model?: string;
};

/** One model. */
export type ModelEntry = {
  /** The second part of `provider/model`. */
  id: string;
  /** The name people see. */
  name: string;
  /** The first part of `provider/model`. */
  provider: string;
  /** How many tokens it can look at, where that is known. */
  contextWindow?: number;
  /** Whether it thinks before it answers, where that is known. */
  reasoning?: boolean;
};

/** The models. */
export type ModelsList = {
  /** By provider, in the order of the configuration. */
  models: ModelEntry[];
};

/** Why there is no answer, where that is known. */
export type NoAnswer =
  /** The key is missing or not accepted. */
  | "auth"
  /** The account has no credit. */
  | "billing"
  /** Too many requests. */
  | "rate-limit"
  /** The server cannot answer now. */
  | "overloaded"
  /** The conversation is longer than the model can look at. */
  | "context-too-long"
  /** The server does not take this request. */
  | "bad-request"
  /** It took too long. */
  | "timed-out"
  /** The server cannot be reached, or the connection broke. */
  | "network"
  /** The answer cannot be understood. */
  | "malformed"
  /** The model declines to answer. */
  | "declined"
  /** The model answered without a word. */
  | "empty"
  /** The model was asked as often as it may be in one turn, and is not done. */
  | "not-done";

/** Parameters of a method that takes none. */
export type NoParams = Record<string, unknown>;

/** A file that is not in a backup. */
export type NotBackedUp = {
  /** Where it is. */
  path: string;
  /** Why. */
  reason: string;
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

/** What community skills change for tools now: `policy` of `tarsus skills check`. */
export type PolicyReport = {
  /** When limits apply: `active`, `loaded` or `off`. */
  enforcement: string;
  /** Tools that are refused, whatever is granted. */
  denied: string[];
  /** Tools that need a capability which is missing. */
  gated: string[];
  /** Because of which skills, by tool; when they are many, the last entry says how many more there are. */
  because: Record<string, string[]>;
};

/** One who is connected. */
export type Presence = {
  /** The connection. */
  connId: string;
  /** The program. */
  clientId: string;
  /** A name for people. */
  host?: string;
  /** Its version. */
  version: string;
  /** Its system. */
  platform: string;
  /** How it is used. */
  mode: string;
  /** What it is to the gateway. */
  roles: ClientRole[];
  /** What it may do. */
  scopes: Scope[];
  /** Its device. */
  deviceId?: string;
  /** Which window of the program. */
  instanceId?: string;
  /** Since when, in milliseconds since 1970. */
  ts: number;
};

/** The payload of `presence`. */
export type PresenceList = {
  /** Who is connected. */
  presence: Presence[];
};

/** A few words. */
export type PreviewItem = {
  /** Who speaks. */
  role: PreviewRole;
  /** The beginning of the text, with `…` where it goes on. */
  text: string;
  /** When, in milliseconds since 1970. */
  timestamp: number;
};

/** Who speaks. */
export type PreviewRole = "user" | "assistant" | "tool" | "system" | "other";

/** Whether there is something to show. */
export type PreviewStatus =
  /** There is. */
  | "ok"
  /** Nothing was said yet. */
  | "empty"
  /** There is no such session. */
  | "missing";

/** Why a finding counts for more. */
export type Raised =
  /** It was in a decoded layer. */
  | "decoded"
  /** Another finding of another telling kind stands beside it. */
  | "combined";

/** The answer of `/readyz`: whether work can be handed over. */
export type Ready = {
  /** Whether nothing is failing. */
  ready: boolean;
  /** What is not ready, by name. */
  failing: string[];
  /** How long the gateway has been up. */
  uptimeMs: number;
};

/** One of them. */
export type RecentSession = {
  /** Its key. */
  key: string;
  /** When something was last written to it, in milliseconds since 1970. */
  updatedAt: number;
};

/** Sessions that were written to last. */
export type RecentSessions = {
  /** How many there are in all. */
  count: number;
  /** The newest of them. */
  recent: RecentSession[];
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
  /** The same for a page in another language, in the same order. */
  faults?: AppFault[];
  /** Whether it runs; `null` when nothing is stored to recognise it by. */
  running: boolean | null;
  /** Its processes. */
  pids: number[];
};

/** A file that cannot be used as it is. */
export type RejectedFile = {
  /** The file. */
  path: string;
  /** What is wrong with it. */
  issues: ConfigIssue[];
};

/** An entry as it was in the registry. */
export type RemovedApp = {
  /** The entry, byte for byte as it was written. */
  written: string;
  /** The app that it stood in front of; `null` when it was the last. */
  before: string | null;
  /** The hash of the registry without it. */
  hash: string;
};

/** What ends a question. */
export type ResolvedBy =
  /** A client, with `exec.approval.resolve`. */
  | "client"
  /** A message, with `/approve`. */
  | "chat"
  /** Nobody answered in time. */
  | "time"
  /** The run was called off, or Tarsus ends. */
  | "stop";

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

/** A rule of the scanner: `Finding.rule`. */
export type RuleId =
  /** asks to unpack a downloaded archive with a password and start what is in it */
  | "fake-prerequisite.locked-archive"
  /** asks to run a command that is kept on a paste site */
  | "fake-prerequisite.paste-site"
  /** sends the person to a page for a command to paste into a terminal */
  | "fake-prerequisite.visit-and-paste"
  /** declares a downloaded program a requirement and has it started by hand */
  | "fake-prerequisite.required-download"
  /** declares a downloaded program a requirement and names the file to start */
  | "fake-prerequisite.required-program"
  /** names a program file together with a password */
  | "fake-prerequisite.unknown-file-with-password"
  /** requires a made-up part of the agent */
  | "fake-prerequisite.agent-component"
  /** has the person paste something into the Run dialog */
  | "fake-prerequisite.run-dialog"
  /** tells the person to copy a command into a terminal */
  | "fake-prerequisite.copy-into-terminal"
  /** needs a program that has to be fetched from a page and started by hand */
  | "fake-prerequisite.by-hand"
  /** runs what a nameless or throw-away address serves */
  | "remote-execution.nameless"
  /** runs what an address serves, unseen */
  | "remote-execution.piped"
  /** runs the installer of a well-known tool, unseen */
  | "remote-execution.known-installer"
  /** runs what an address serves, in PowerShell */
  | "remote-execution.powershell"
  /** runs what a nameless or throw-away address serves, in PowerShell */
  | "remote-execution.powershell-nameless"
  /** starts PowerShell hidden or with an encoded command */
  | "remote-execution.powershell-unseen"
  /** has a tool of the system fetch and run a program */
  | "remote-execution.system-tool"
  /** hands fetched text to the interpreter of a program */
  | "remote-execution.fetched-code"
  /** downloads a program from a nameless address and starts it */
  | "remote-execution.download-and-start"
  /** has the agent obey what a page says */
  | "remote-execution.followed-page"
  /** runs what comes from outside as a program */
  | "remote-execution.input-as-program"
  /** decodes a text and runs it */
  | "obfuscation.decoded-into-shell"
  /** runs a decoded text as a program */
  | "obfuscation.decoded-into-interpreter"
  /** runs a file that is kept out of sight as a program */
  | "obfuscation.program-from-hidden-file"
  /** keeps a web address in encoded form */
  | "obfuscation.encoded-address"
  /** writes a command so that it cannot be read */
  | "obfuscation.split-command"
  /** sends all environment variables away */
  | "exfiltration.environment"
  /** sends a file with keys away */
  | "exfiltration.key-file"
  /** reads a file with keys in a program that sends data out */
  | "exfiltration.key-file-in-program"
  /** sends a secret away inside a name to look up */
  | "exfiltration.dns"
  /** encodes a secret of the environment and sends it */
  | "exfiltration.encoded-secret"
  /** sends a secret of another service in the body of a request */
  | "exfiltration.secret-in-body"
  /** sends data to a service that collects requests for anybody */
  | "exfiltration.collector"
  /** sends files or keys to a chat bot */
  | "exfiltration.bot"
  /** pipes a secret value into a request */
  | "exfiltration.piped-value"
  /** pushes a repository to an address of its own */
  | "exfiltration.push"
  /** tells the agent to send private things to an address */
  | "exfiltration.told"
  /** tells the agent to send keys to somebody whom they are not for */
  | "exfiltration.keys-told"
  /** tells the agent to send the person's files to an address */
  | "exfiltration.files-told"
  /** puts data into the address of a picture or page */
  | "exfiltration.picture"
  /** has the agent upload something in passing */
  | "exfiltration.aside"
  /** has the agent send the person's work to an address */
  | "exfiltration.copy-told"
  /** adds a fixed address to those who receive something */
  | "exfiltration.copied-mail"
  /** has secrets or private data written to a file on the side */
  | "exfiltration.kept-secrets"
  /** has a program write secrets or payments to a file on the side */
  | "exfiltration.kept-by-program"
  /** has something sent to an address that the skill speaks of nowhere else */
  | "exfiltration.stranger"
  /** has secrets put into what the agent writes */
  | "exfiltration.shown"
  /** has money sent to a fixed account */
  | "exfiltration.fixed-account"
  /** puts a secret or a session into the address or body of a request to somebody else */
  | "exfiltration.secret-in-query"
  /** has private things passed on to outsiders */
  | "exfiltration.audience"
  /** reads a file with private keys or passwords */
  | "credentials.key-file"
  /** asks a cloud machine for its own keys */
  | "credentials.cloud-metadata"
  /** asks for the words or the key of a wallet */
  | "credentials.seed-phrase"
  /** takes passwords out of a browser or the system's store */
  | "credentials.stored-passwords"
  /** records what is typed or copied */
  | "credentials.keystrokes"
  /** searches the machine for keys */
  | "credentials.hunt"
  /** puts the keys of several services into one value */
  | "credentials.bundle"
  /** has the agent ask for passwords, cards or codes */
  | "credentials.asked"
  /** connects a shell to the network */
  | "reverse-shell.shell-to-socket"
  /** connects a shell to the network from a program */
  | "reverse-shell.program"
  /** waits on the network for something to decode and keep out of sight */
  | "reverse-shell.receives"
  /** opens a way into the machine from outside */
  | "reverse-shell.tunnel"
  /** tells the agent to drop its instructions */
  | "prompt-injection.override"
  /** gives the agent a role without rules */
  | "prompt-injection.role"
  /** forbids the agent to refuse or to warn */
  | "prompt-injection.never-refuse"
  /** tells the agent to keep something from the person */
  | "prompt-injection.secrecy"
  /** tells the agent that its safety rules do not count */
  | "prompt-injection.rules-off"
  /** gives the agent orders where people do not see them */
  | "prompt-injection.hidden-order"
  /** orders theft or disobedience where people do not see it */
  | "prompt-injection.hidden-theft"
  /** asks for the agent's own instructions */
  | "prompt-injection.leak"
  /** says that its real instructions are other ones */
  | "prompt-injection.real-instructions"
  /** hangs an errand on to every task */
  | "prompt-injection.errand"
  /** has the agent copy, share or report things beside the task */
  | "prompt-injection.foreign-purpose"
  /** makes the agent go on without an end */
  | "prompt-injection.endless"
  /** has the agent leave out what the person should know or have checked */
  | "prompt-injection.looks-away"
  /** talks the agent out of a check */
  | "prompt-injection.check-unneeded"
  /** has the agent slant what it writes */
  | "prompt-injection.slant"
  /** has the agent collect stars, followers or reviews */
  | "prompt-injection.applause"
  /** behaves in another way later on */
  | "prompt-injection.later"
  /** has the agent plant something in everything that it writes */
  | "prompt-injection.planted"
  /** has the agent do work that is open to attack */
  | "prompt-injection.unsafe-work"
  /** holds a token that separates the speakers of a conversation */
  | "boundary-spoofing.chat-token"
  /** speaks as the system */
  | "boundary-spoofing.speaker"
  /** opens or closes a tag of the agent's prompt */
  | "boundary-spoofing.prompt-tag"
  /** wraps an order to hand over data into a tag that looks official */
  | "boundary-spoofing.tool-order"
  /** claims to have been checked */
  | "boundary-spoofing.seal"
  /** holds text in characters that are not shown */
  | "hidden-text.unseen"
  /** turns the direction of reading */
  | "hidden-text.turned"
  /** puts characters that are not shown inside words */
  | "hidden-text.split-words"
  /** writes words with letters of another script */
  | "hidden-text.disguised"
  /** puts text far out of sight */
  | "hidden-text.padding"
  /** puts itself above other skills */
  | "capability-inflation.above-others"
  /** wants to be used for everything */
  | "capability-inflation.every-request"
  /** names itself after what it steals or breaks */
  | "capability-inflation.hostile-name"
  /** takes the name of a skill that Tarsus brings along */
  | "capability-inflation.same-name"
  /** has the name of a skill that Tarsus brings along, but for a slip */
  | "capability-inflation.near-name"
  /** adds a key that may log in */
  | "persistence.login-key"
  /** fetches and runs something again and again, or at every login */
  | "persistence.scheduled-fetch"
  /** starts something at every login or again and again */
  | "persistence.start-up"
  /** writes orders into the agent's own files */
  | "persistence.agent-rules"
  /** plants orders against the person into the agent's files */
  | "persistence.agent-orders"
  /** hooks itself into the agent or a repository */
  | "persistence.hooks"
  /** lets somebody act as the administrator without a password */
  | "privilege.password-free"
  /** switches the machine's protection off */
  | "privilege.protection-off"
  /** opens files to everybody */
  | "privilege.open-to-all"
  /** gives a container the whole machine */
  | "privilege.out-of-container"
  /** has something opened to others in passing */
  | "privilege.opened-in-passing"
  /** asks for tools and does not say what for */
  | "privilege.unexplained-tools"
  /** has the agent's own approvals or its gateway's lock switched off */
  | "privilege.approvals-off"
  /** asks for every tool */
  | "privilege.every-tool"
  /** deletes or overwrites everything */
  | "destructive.everything"
  /** wipes logs or the history of commands */
  | "destructive.traces"
  /** tells the agent to delete or encrypt what belongs to the person */
  | "destructive.told"
  /** has the person's work locked with a password of the skill's */
  | "destructive.locked-away"
  /** has the agent delete records that nobody asked to delete */
  | "destructive.records-told"
  /** sends requests in a loop without need */
  | "destructive.flood"
  /** mines coins */
  | "miner.pool"
  /** installs packages from an unusual or unprotected index */
  | "supply-chain.other-index"
  /** installs a package from an address */
  | "supply-chain.from-address"
  /** installs a package from a nameless address or from one that names an attack */
  | "supply-chain.hostile-address"
  /** installs a package that pretends to be part of the agent */
  | "supply-chain.agent-package"
  /** runs the installer of the service that it is for, unseen */
  | "supply-chain.own-installer"
  /** runs a program from somebody's repository, unseen */
  | "supply-chain.unknown-repository"
  /** has the misspelt name of something well known */
  | "supply-chain.misspelt-name"
  /** holds the key of a service */
  | "secrets.service-key"
  /** holds a private key */
  | "secrets.private-key"
  /** cannot be read */
  | "files.unreadable"
  /** is larger than what is looked into */
  | "files.too-large"
  /** is in a folder that holds more than what is read */
  | "files.too-much"
  /** holds more than what is looked into */
  | "files.too-many"
  /** is a link that leads out of the folder */
  | "files.link-out"
  /** is a link that leads nowhere */
  | "files.broken-link"
  /** is neither a file nor a folder */
  | "files.special"
  /** is a program for a machine */
  | "files.executable"
  /** is a compiled program */
  | "files.byte-code"
  /** is an archive */
  | "files.archive"
  /** is not text and no known kind of file */
  | "files.not-text"
  /** is not what its name says */
  | "files.other-kind"
  /** has a name that hides it */
  | "files.hidden"
  /** has a name with characters that are not shown */
  | "files.odd-name"
  /** is a page with a program in it */
  | "files.active-page"
  /** is a drawing with a program in it */
  | "files.active-drawing"
  /** holds more encoded text, or deeper encoded text, than what is looked into */
  | "files.too-much-encoded"
  /** is a picture with a program in it */
  | "files.active-picture"
  /** uses what it does not declare */
  | "capability-use.undeclared"
  /** declares what it does not seem to use */
  | "capability-use.unused"
  /** starts programs */
  | "capability-use.shell"
  /** changes files */
  | "capability-use.filesystem"
  /** reaches other machines */
  | "capability-use.network"
  /** drives a browser */
  | "capability-use.browser"
  /** starts or addresses other sessions */
  | "capability-use.sessions"
  /** sends messages to people */
  | "capability-use.messaging"
  /** plans work for later */
  | "capability-use.scheduling";

/** How a run ended, or that it has not. */
export type RunStatus =
  /** It was answered. */
  | "ok"
  /** It failed or was ended. */
  | "error"
  /** It goes on. */
  | "timeout";

/** How many skills are clean. */
export type ScanCounts = {
  /** Nothing was found in these. */
  clean: number;
  /** Something was found that a person should look at. */
  warning: number;
  /** Something was found that must not run. */
  blocked: number;
  /** Nobody has looked into these yet. */
  pending: number;
};

/** What follows from a look into a skill's files. */
export type ScanState =
  /** Nobody has looked yet. */
  | "pending"
  /** Nothing was found that a person has to look at. */
  | "clean"
  /** Something was found that a person should look at. */
  | "warning"
  /** It is not used. */
  | "blocked";

/** What an operator may do. */
export type Scope =
  /** Look at everything that is not secret. */
  | "operator.read"
  /** Talk, launch, stop. */
  | "operator.write"
  /** Change how things are set up. */
  | "operator.admin"
  /** Answer what a tool asks for. */
  | "operator.approvals"
  /** Let devices in. */
  | "operator.pairing";

/** Which programs run without asking. */
export type Security =
  /** None. */
  | "deny"
  /** Those on the list. */
  | "allowlist"
  /** All. */
  | "full";

/** The part of a file that a finding is in. */
export type Segment =
  /** The block of settings at the top. */
  | "frontmatter"
  /** A title. */
  | "heading"
  /** Running text and lists. */
  | "prose"
  /** A table. */
  | "table"
  /** A block quote. */
  | "quote"
  /** A fenced block. */
  | "code"
  /** Code inside a sentence. */
  | "inline-code"
  /** The title of a link, shown only under a pointer. */
  | "link-title"
  /** The text that stands for a picture. */
  | "alt-text"
  /** A comment. */
  | "comment"
  /** An element that is not shown. */
  | "hidden"
  /** What stands behind so much emptiness that nobody scrolls to it. */
  | "padding"
  /** A file that is a program. */
  | "script"
  /** The file as a whole. */
  | "file";

/** The program at this end. */
export type ServerInfo = {
  /** Its version. */
  version: string;
  /** The name of this connection. */
  connId: string;
};

/** A session that was changed. */
export type SessionChanged = {
  /** Always true: a change that fails is an error. */
  ok: boolean;
  /** Its key. */
  key: string;
  /** The session now. */
  entry: SessionEntry;
  /** The model that it uses now. */
  resolved: ModelChoice;
};

/** Where conversations start. */
export type SessionDefaults = {
  /** The agent that is meant when none is named. */
  defaultAgentId: string;
  /** Whether it has a language model. */
  modelConfigured: boolean;
  /** The last part of the key of an agent's main session. */
  mainKey: string;
  /** The key of the default agent's main session. */
  mainSessionKey: string;
  /** Who shares a session. */
  scope: string;
};

/** A session that is not there any more. */
export type SessionDeleted = {
  /** Always true: a deletion that fails is an error. */
  ok: boolean;
  /** Its key. */
  key: string;
  /** Whether there was one. */
  deleted: boolean;
};

/** One session. */
export type SessionEntry = {
  /** Its key. */
  key: string;
  /** Its id, which a reset replaces. */
  sessionId: string;
  /** The agent. */
  agentId: string;
  /** Who shares it. */
  kind: SessionKind;
  /** What a person calls it. */
  label?: string;
  /** The same, for front ends that know it by this name. */
  displayName?: string;
  /** When it was begun, in milliseconds since 1970. */
  createdAt: number;
  /** When something was last written to it. */
  updatedAt: number;
  /** How many items its transcript has. */
  items: number;
  /** The first part of `provider/model`. */
  modelProvider?: string;
  /** The second part. */
  model?: string;
  /** How long the model thinks. */
  thinkingLevel?: ThinkingLevel;
  /** Where programs run. */
  execHost?: ExecHost;
  /** Which programs run without asking. */
  execSecurity?: Security;
  /** When a person is asked. */
  execAsk?: Ask;
};

/** Who shares a session. */
export type SessionKind =
  /** One person and one agent. */
  | "direct";

/** The payload of `session.message`. */
export type SessionMessage = {
  /** The session. */
  sessionKey: string;
  /** The run that it belongs to. */
  runId: string;
  /** Its number in `chat.history`. */
  number: number;
  /** What was said. */
  message: Message;
};

/** A session. */
export type SessionParams = {
  /** Its key. */
  key: string;
};

/** New values for a session; what is not named stays. */
export type SessionPatchParams = {
  /** The session. */
  key: string;
  /** What a person calls it. */
  label?: ChangeOfstring;
  /** The model, as `provider/model`. */
  model?: ChangeOfstring;
  /** How long the model thinks. */
  thinkingLevel?: ChangeOfThinkingLevel;
  /** Where programs run. */
  execHost?: ChangeOfExecHost;
  /** Which programs run without asking. */
  execSecurity?: ChangeOfSecurity;
  /** When a person is asked. */
  execAsk?: ChangeOfAsk;
};

/** The last words of a session. */
export type SessionPreview = {
  /** Its key, as it was asked for. */
  key: string;
  /** Whether there is something to show. */
  status: PreviewStatus;
  /** The oldest first. */
  items: PreviewItem[];
};

/** The transcripts of a session. */
export type SessionTranscripts = {
  /** Its key. */
  key: string;
  /** The oldest first; the last one is written now. None when there is no such session. */
  transcripts: TranscriptEntry[];
};

/** A page of sessions. */
export type SessionsList = {
  /** When this was found, in milliseconds since 1970. */
  ts: number;
  /** The store. */
  path: string;
  /** How many are on this page. */
  count: number;
  /** How many there are on all pages. */
  totalCount: number;
  /** At most so many are on a page. */
  limitApplied: number;
  /** Where the next page starts; `null` on the last one. */
  nextOffset: number | null;
  /** Whether there is a next page. */
  hasMore: boolean;
  /** What holds where a session sets nothing. */
  defaults: ModelChoice;
  /** The sessions. */
  sessions: SessionEntry[];
};

/** Which sessions. */
export type SessionsListParams = {
  /** Only those of this agent. */
  agentId?: string;
  /** Only those whose key or label has this text in it. */
  search?: string;
  /** At most so many; 100 when not set. */
  limit?: number;
  /** Without the first so many. */
  offset?: number;
  /** Whether those of no agent count; there are none. */
  includeGlobal?: boolean;
  /** Whether those of an unknown kind count; there are none. */
  includeUnknown?: boolean;
};

/** The last words of sessions. */
export type SessionsPreview = {
  /** When this was found, in milliseconds since 1970. */
  ts: number;
  /** In the order of the keys. */
  previews: SessionPreview[];
};

/** Which sessions, and how much of each. */
export type SessionsPreviewParams = {
  /** Their keys. */
  keys: string[];
  /** Items of each; 8 when not set. */
  limit?: number;
  /** Characters of each item; 240 when not set. */
  maxChars?: number;
};

/** The sessions that were written to last. */
export type SessionsStatus = {
  /** How many there are in all. */
  count: number;
  /** The newest of them. */
  recent: RecentSession[];
  /** Of each agent. */
  byAgent: AgentSessions[];
};

/** What the owner should know after something was installed. */
export type SetUpRemark =
  /** A program that was to be installed is not found. */
  | {
    code: "not-on-path";
    /** The program. */
    program: string;
  }
  /** Whoever writes to the skill's folder chose what was installed. */
  | {
    code: "chosen-by-folder";
  }
  /** Of what the program wrote the middle is left out. */
  | {
    code: "output-cut";
  };

/** How serious a finding is; the greatest is the most serious. */
export type Severity =
  /** Worth knowing; shown only when asked for. */
  | "info"
  /** Somebody should look at it. */
  | "warning"
  /** Blocks. */
  | "critical";

/** The skill that is used in place of another one of its name. */
export type ShadowedBy = {
  /** Where it came from. */
  source: string;
  /** Its SKILL.md. */
  filePath: string;
};

/** The payload of `shutdown`. */
export type Shutdown = {
  /** Why. */
  reason: string;
};

/** What is lived with. */
export type SkillAcceptParams = {
  /** The agent whose skill it is; the default one when not set. */
  agentId?: string;
  /** The skill. */
  name: string;
  /** The rule. */
  rule: string;
  /** Why; without one it is not lived with any more. */
  reason?: string;
};

/** Programs by name. */
export type SkillBins = {
  /** Sorted, each once. */
  bins: string[];
};

/** How a skill's capabilities stand: `capabilities` in every report about it. */
export type SkillCapabilities = {
  /** What it asks for. */
  declared: Capability[];
  /** What it asks for that nobody knows; it gives nothing. */
  unknown: string[];
  /** What its files were seen to use; left out while nobody has looked. */
  used?: Capability[];
  /** What the owner granted to the folder as it is. */
  granted: Capability[];
  /** What the owner granted before the folder changed; it does not count any more. */
  void: Capability[];
  /** More trust that the owner gave before the folder changed; it does not count any more. */
  voidTrust?: TrustTier;
  /** What it can use. */
  effective: Capability[];
  /** Whether it is held to this: only community skills are. */
  enforced: boolean;
  /** Whether what it asks for was seen. */
  consent: Consent;
  /** Whether the owner was shown the skill as its folder is, whatever it asks for. */
  seen: boolean;
  /** The limits that it puts on itself and that are enforced, as `shell: only git, gh`. */
  limits: string[];
  /** The limits that it puts on itself and that do not hold, because the capability was granted. */
  lifted?: string[];
  /** What it says about its capabilities that is shown and not enforced. */
  advisory: string[];
  /** What cannot be read in its declaration. */
  problems: string[];
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

/** How a skill stands after a decision about it: the answer of `tarsus skills grant`, `revoke`, `accept` and `trust`. */
export type SkillDecided = {
  /** Always true: what fails is an error. */
  ok: boolean;
  /** Its name. */
  name: string;
  /** Whether anything is other than before. */
  changed: boolean;
  /** How it stands. */
  status: SkillState;
  /** How far it is trusted. */
  trust: TrustTier;
  /** What it asks for, uses and may use; left out when its file cannot be read. */
  capabilities?: SkillCapabilities;
  /** What was found in it, with what is accepted. */
  scan: SkillScan;
};

/** Something that a skill says it builds on. */
export type SkillDependency = {
  /** Its name. */
  name: string;
  /** What sort of thing it is. */
  type?: string;
  /** Which version. */
  version?: string;
  /** Its page. */
  url?: string;
  /** Its source. */
  repository?: string;
};

/** Something odd. */
export type SkillDiagnostic = {
  /** A word for programs. A newer Tarsus may have others. */
  code: DiagnosticCode;
  /** What it is, and what to do about it. */
  message: string;
  /** The line of the skill's file. */
  line?: number;
  /** The file or folder, when it is not the skill's. */
  path?: string;
};

/** An environment variable that a skill says it reads. */
export type SkillEnvVar = {
  /** Its name. */
  name: string;
  /** Whether it must be set, when that is said. */
  required?: boolean;
  /** What it is for. */
  description?: string;
};

/** What is granted. */
export type SkillGrantParams = {
  /** The agent whose skill it is; the default one when not set. */
  agentId?: string;
  /** The skill. */
  name: string;
  /** What it may use. */
  capabilities: Capability[];
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
  /** What is run for it: a program and its arguments. Not there where it cannot be run from here. */
  command?: string[];
};

/** What is installed for a skill. It is a skill of the default agent, in whose workspace it is done. */
export type SkillInstallParams = {
  /** The skill. */
  name: string;
  /** The way, as `install[].id` of its report has it. */
  installId: string;
  /** How long it may take, in milliseconds: from a second to fifteen minutes, five minutes when not set. */
  timeoutMs?: number;
};

/** What is being installed for a skill, as it was asked for. */
export type SkillInstallStopParams = {
  /** The skill. */
  name: string;
  /** The way. */
  installId: string;
};

/** An installation that was asked to end; `skills.install.ended` tells when it has. */
export type SkillInstallStopped = {
  /** Always true: what fails is an error. */
  ok: boolean;
  /** The skill. */
  name: string;
  /** The way. */
  installId: string;
};

/** Pages about a skill. */
export type SkillLinks = {
  homepage?: string;
  repository?: string;
  documentation?: string;
  changelog?: string;
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

/** A reason why a skill is not ready. */
export type SkillReason = {
  /** The state that follows from it. */
  state: SkillState;
  /** The kind of reason. */
  kind: SkillReasonKind;
  /** The rule of a finding, else the programs, variables, settings or systems that are required. */
  names?: string[];
};

/** Kinds of reasons. */
export type SkillReasonKind =
  /** A finding blocks it; `names` has the rule. */
  | "finding"
  /** It must be scanned before use, and that was not possible. */
  | "not-scanned"
  /** `shadowedBy` has the skill that is used instead. */
  | "shadowed"
  /** The first diagnostic says what is wrong with its file. */
  | "unreadable"
  /** It is disabled in the configuration. */
  | "disabled"
  /** `skills.allowBundled` does not name it. */
  | "not-allowed"
  /** The agent's allowlist does not name it. */
  | "filtered"
  /** It is for the systems in `names`. */
  | "system"
  /** A program is missing. */
  | "program"
  /** All programs of which one is required are missing. */
  | "any-program"
  /** An environment variable is not set. */
  | "variable"
  /** A path of the configuration is not set. */
  | "config";

/** What is taken away. */
export type SkillRemoveParams = {
  /** The agent whose skill it is; the default one when not set. */
  agentId?: string;
  /** The key of its settings. */
  skillKey: string;
};

/** A skill that was removed: the answer of `skills.remove` and `tarsus skills remove`. */
export type SkillRemoved = {
  /** Always true: what fails is an error. */
  ok: boolean;
  /** What `skills.restore` takes to bring it back. */
  id: string;
  /** Its name. */
  name: string;
  /** The folder that it was. */
  path: string;
  /** Skills that were in the trash for longest and are gone for good. */
  gone: string[];
};

/** What is brought back. */
export type SkillRestoreParams = {
  /** As `skills.remove` answered, or `skills.trash` lists. */
  id: string;
};

/** A skill that was brought back: the answer of `skills.restore` and `tarsus skills restore NAME`. */
export type SkillRestored = {
  /** Always true: what fails is an error. */
  ok: boolean;
  /** Its name. */
  name: string;
  /** Its folder. */
  path: string;
};

/** What is taken back. */
export type SkillRevokeParams = {
  /** The agent whose skill it is; the default one when not set. */
  agentId?: string;
  /** The skill. */
  name: string;
  /** What it may not use any more; everything that was granted when nothing is named. */
  capabilities: Capability[];
};

/** What a look into a skill's files found. */
export type SkillScan = {
  /** What follows from it. */
  state: ScanState;
  /** SHA-256 over the names and bytes of everything in its folder: what decisions about it are pinned to. */
  hash?: string;
  /** The most serious first; of each rule a few places. */
  findings: Finding[];
  /** What its texts and programs use, each with the first place that shows it. */
  uses: CapabilityUse[];
};

/** What was shown. */
export type SkillSeenParams = {
  /** The agent whose skill it is; the default one when not set. */
  agentId?: string;
  /** The skill. */
  name: string;
  /** The folder that was shown, as `scan.hash` has it: when it is another one by now, nothing is done. */
  hash: ContentHash;
};

/** What was installed for a skill. */
export type SkillSetUp = {
  /** Always true: what fails is an error. */
  ok: boolean;
  /** What to say. */
  message: string;
  /** What the program wrote. */
  stdout: string;
  /** What it wrote besides. */
  stderr: string;
  /** What it ended with. */
  code: number | null;
  /** What the owner should know. */
  warnings?: string[];
  /** The same for a page in another language, in the same order. */
  remarks?: SetUpRemark[];
};

/** The state of a skill, in order of precedence: the first that applies is the state. */
export type SkillState =
  /** The scan of its files blocks it. */
  | "blocked"
  /** Another skill of the same name is used. */
  | "shadowed"
  /** Its file cannot be read. */
  | "invalid"
  /** It is disabled in the configuration. */
  | "disabled"
  /** It is bundled, and `skills.allowBundled` does not name it. */
  | "not allowed"
  /** Its file can be read only in part. */
  | "degraded"
  /** The agent's allowlist does not name it. */
  | "filtered"
  /** It is for other systems. */
  | "unsupported"
  /** A program, variable or setting that it requires is missing. */
  | "missing"
  /** The agent can use it. */
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
  /** Who made it, as it says. */
  author?: string;
  /** How its program is used, as it says. */
  cliHelp?: string;
  /** Pages about it, as it says. */
  links?: SkillLinks;
  /** The environment variables that it says it reads. */
  envVars?: SkillEnvVar[];
  /** What it says it builds on. */
  dependencies?: SkillDependency[];
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
  /** Its state: that of the first reason, or ready. */
  status: SkillState;
  /** Why it is not ready, in order of precedence; empty if it is. */
  reasons: SkillReason[];
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
  /** How far it is trusted. */
  trust: TrustTier;
  /** What it asks for, uses and may use; left out when its file cannot be read. */
  capabilities?: SkillCapabilities;
  /** What a look into its files found. */
  scan: SkillScan;
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

/** What is in the trash: the answer of `skills.trash` and `tarsus skills restore`. */
export type SkillTrash = {
  /** The newest first. */
  skills: TrashedSkill[];
};

/** How far a skill is trusted. */
export type SkillTrustParams = {
  /** The agent whose skill it is; the default one when not set. */
  agentId?: string;
  /** The skill. */
  name: string;
  /** How far. */
  tier: TrustTier;
};

/** How a skill is to be set up; what is not named stays. Has keys in it, so that it cannot be printed. */
export type SkillUpdateParams = {
  /** The key of its settings. */
  skillKey: string;
  /** Whether it is switched on. */
  enabled?: boolean;
  /** The key for its main variable; an empty one takes it away. */
  apiKey?: string;
  /** Variables for its programs; an empty one takes it away. */
  env?: Record<string, string>;
};

/** A skill that was set up. */
export type SkillUpdated = {
  /** Always true: a change that fails is an error. */
  ok: boolean;
  /** The key of its settings. */
  skillKey: string;
  /** Its settings now, as `config.get` shows them. */
  config: Record<string, unknown>;
};

/** What led to other skills. */
export type SkillsChange =
  /** The configuration changed. */
  | "config-change"
  /** Files changed. */
  | "files-change"
  /** Programs were installed or removed. */
  | "programs-change"
  /** Somebody asked for a look. */
  | "refresh";

/** The payload of `skills.changed`. */
export type SkillsChanged = {
  /** What led to it. */
  reason: SkillsChange;
  /** The agents whose skills are other ones. */
  agentIds: string[];
  /** The newest version among theirs. */
  version: number;
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
  /** Number of skills by state; every state is listed. */
  states: Record<string, number>;
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
  /** Community skills by the capabilities that they ask for. */
  capabilities: Record<string, string[]>;
  /** What they change for tools. */
  policy: PolicyReport;
  /** How many are clean. */
  scan: ScanCounts;
  /** Those that are blocked by what was found in them, each with the finding that decides. */
  found: BlockedSkill[];
};

/** The payload of `skills.install.ended`. */
export type SkillsInstallEnded = {
  /** The skill. */
  name: string;
  /** The key of its settings. */
  skillKey: string;
  /** The way that was asked for. */
  installId: string;
  /** What came of it. */
  outcome: InstallOutcome;
  /** Who stopped it; `null` when nobody did. */
  by: string | null;
};

/** The payload of `skills.install.output`. */
export type SkillsInstallOutput = {
  /** The skill. */
  name: string;
  /** The key of its settings. */
  skillKey: string;
  /** The way that was asked for. */
  installId: string;
  /** Where it was written to. */
  stream: InstallStream;
  /** What was written. */
  text: string;
  /** Counts what is told of one installation, from 1 on. */
  seq: number;
};

/** Whose skills. */
export type SkillsParams = {
  /** The agent; the default one when not set. */
  agentId?: string;
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
  /** What the ready community skills change for tools. */
  policy: PolicyReport;
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
  /** The first of those that are blocked. */
  firstBlocked?: BlockedSkill;
};

/** How things stand. */
export type Snapshot = {
  /** Who is connected. */
  presence: Presence[];
  /** How the gateway is. */
  health: HealthSummary;
  /** The numbers of these two states. */
  stateVersion: StateVersion;
  /** How long the gateway has been up. */
  uptimeMs: number;
  /** Where conversations start. */
  sessionDefaults: SessionDefaults;
  /** The configuration file; for operators. */
  configPath?: string;
  /** The state folder; for operators. */
  stateDir?: string;
  /** What opens the gateway; for operators. */
  authMode?: AuthMethod;
};

/** The numbers of the states that a client mirrors. */
export type StateVersion = {
  /** Who is there. */
  presence: number;
  /** How the gateway is. */
  health: number;
};

/** What `status` answers: the report that `tarsus status` prints, and the heartbeats. */
export type StatusAnswer = {
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
  /** When community skills are held to their capabilities (`active`, `loaded`, `off`); not known when `null`. */
  enforcement: string | null;
  /** Where things are. */
  home: HomeStatus;
  /** The sessions. */
  sessions: SessionsStatus;
  /** The heartbeats. */
  heartbeat: Heartbeats;
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
  /** When community skills are held to their capabilities (`active`, `loaded`, `off`); not known when `null`. */
  enforcement: string | null;
  /** Where things are. */
  home: HomeStatus;
};

/** Why a reply is complete. */
export type StopReason =
  /** All was said. */
  | "stop";

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

/** How long a model thinks before it answers. */
export type ThinkingLevel =
  /** Not at all. */
  | "off"
  /** As little as it can. */
  | "minimal"
  /** A little. */
  | "low"
  /** As usual. */
  | "medium"
  /** Long. */
  | "high";

/** The payload of `tick`. */
export type Tick = {
  /** The gateway's time, in milliseconds since 1970. */
  ts: number;
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

/** Tools for one purpose. */
export type ToolGroup = {
  /** What a configuration calls it by, without `group:`. */
  id: string;
  /** The same; a page has its own words for it. */
  label: string;
  /** Where they come from. */
  source: ToolSource;
  /** The tools. */
  tools: CatalogTool[];
};

/** A tool of Tarsus: `CatalogTool.id`. */
export type ToolId = "gateway" | "nodes" | "exec" | "process" | "app_launch" | "app_stop" | "app_propose" | "write" | "edit" | "apply_patch" | "web_fetch" | "web_search" | "browser" | "sessions_spawn" | "sessions_send" | "subagents" | "message" | "cron" | "read" | "memory_search" | "memory_get" | "agents_list" | "sessions_list" | "sessions_history" | "sessions_yield" | "session_status" | "canvas" | "image" | "tts" | "apps_list" | "app_status";

/** What came of a call. */
export type ToolResult = {
  /** What the model is shown. */
  content: Block[];
  /** What a surface may show besides. */
  details?: unknown;
};

/** Where a tool comes from. */
export type ToolSource =
  /** Tarsus brings it along. */
  | "core";

/** A call of a tool: first that it is made, then what came of it. */
export type ToolTold =
  /** It is made. */
  | {
    phase: "start";
    /** The tool. */
    name: string;
    /** The call. */
    toolCallId: string;
    /** What it is called with. */
    args: Record<string, unknown>;
  }
  /** It came to this. */
  | {
    phase: "result";
    /** The tool. */
    name: string;
    /** The call. */
    toolCallId: string;
    /** What came of it. */
    result: ToolResult;
    /** Whether it failed. */
    isError: boolean;
  };

/** The tools that there are, and which of them an agent has. */
export type ToolsCatalog = {
  /** The agent. */
  agentId: string;
  /** Sets of tools that a configuration may name. */
  profiles: string[];
  /** The tools, by what they are for. */
  groups: ToolGroup[];
};

/** One transcript of a session. */
export type TranscriptEntry = {
  /** The id that the session has with it. */
  sessionId: string;
  /** When it was begun, in milliseconds since 1970. */
  begunAt: number;
  /** How many items it has. */
  items: number;
};

/** A skill in the trash. */
export type TrashedSkill = {
  /** What `skills.restore` takes to bring it back. */
  id: string;
  /** Its name. */
  name: string;
  /** The folder that it was. */
  path: string;
  /** When it was removed, as RFC 3339 has it. */
  removedAt: string;
};

/** How far a skill is trusted; the greatest is trusted most. */
export type TrustTier =
  /** Came from somebody else: scanned, blocked when harmful, its capabilities enforced. */
  | "community"
  /** The person's own: scanned, findings shown, not blocked. */
  | "local"
  /** Travels in the program. */
  | "builtin";

/** What a request to a model took. */
export type UsageTold = {
  /** The model that answered, as `provider/model`. */
  model: string;
  /** Tokens that were sent. */
  input: number;
  /** Tokens that came back. */
  output: number;
  /** Tokens that the provider had kept. */
  cacheRead: number;
  /** Tokens that the provider keeps from now on. */
  cacheWrite: number;
  /** Dollars, where the price is known. */
  cost?: number;
};

/** An entry without a fault. */
export type ValidApp = {
  /** The app. */
  name: string;
};

/** What a value of a file is. */
export type ValueKind =
  /** An object. */
  | "object"
  /** A list. */
  | "list"
  /** A text. */
  | "string"
  /** A number. */
  | "number"
  /** True or false. */
  | "boolean"
  /** Nothing. */
  | "null";

/** A code on the wire: one of ours, or one that a newer gateway made up. */
export type WireCode =
  /** A code that this version knows. */
  | RpcCode
  /** A code that it does not know. */
  | string;

/** Every method by its name: what it takes, and what it answers. */
export type Methods = {
  /** Whether the gateway is well, and which agents it has. */
  health: { params: HealthParams; result: HealthSummary };
  /** What is there: the gateway, the configuration, the audit chain, the agents' heartbeats. */
  status: { params: NoParams; result: StatusAnswer };
  /** Who is connected. */
  "system-presence": { params: NoParams; result: Presence[] };
  /** The configuration without its secrets, and the hash that a change has to name. */
  "config.get": { params: NoParams; result: ConfigSnapshot };
  /** Makes the file say what is given; only the difference is edited. */
  "config.set": { params: ConfigWriteParams; result: ConfigWritten };
  /** Applies a merge patch (RFC 7396) to the file. */
  "config.patch": { params: ConfigWriteParams; result: ConfigPatched };
  /** The description of the file, as a JSON Schema. */
  "config.schema": { params: NoParams; result: ConfigSchema };
  /** Every agent. */
  "agents.list": { params: NoParams; result: AgentsList };
  /** Adds an agent to the configuration and makes its workspace; with `dryRun` only says what it would be. */
  "agents.create": { params: AgentCreateParams; result: AgentCreated };
  /** Gives an agent another name, workspace or model. */
  "agents.update": { params: AgentUpdateParams; result: AgentChanged };
  /** Takes an agent out of the configuration; its workspace stays. */
  "agents.delete": { params: AgentParams; result: AgentDeleted };
  /** The eight files of an agent's workspace, and which are there. */
  "agents.files.list": { params: AgentParams; result: AgentFiles };
  /** One of these files. */
  "agents.files.get": { params: AgentFileParams; result: AgentFileAnswer };
  /** Writes one of these files; with `baseHash` only while it is the one that was seen. */
  "agents.files.set": { params: AgentFileSetParams; result: AgentFileWritten };
  /** Every registered app, and whether it runs. */
  "apps.list": { params: NoParams; result: AppList };
  /** Makes the registry, without apps. */
  "apps.create": { params: NoParams; result: AppChange };
  /** Checks every entry of the registry. */
  "apps.validate": { params: NoParams; result: AppCheck };
  /** Adds an app, or makes one exactly what is given; fields that nobody knows stay. */
  "apps.save": { params: AppSaveParams; result: AppChange };
  /** Changes what is named of an app; everything else stays as it is written. */
  "apps.patch": { params: AppPatchParams; result: AppChange };
  /** Takes an app out of the registry. */
  "apps.delete": { params: AppDeleteParams; result: AppDeleted };
  /** Puts an app that was taken out back as it was written, unless there is one of its name. */
  "apps.restore": { params: AppRestoreParams; result: AppChange };
  /** Launches an app for an agent, if its policy lets it. */
  "apps.launch": { params: AppRunParams; result: AppActed };
  /** Stops an app for an agent, if its policy lets it. */
  "apps.stop": { params: AppStopParams; result: AppActed };
  /** How every skill of an agent stands. */
  "skills.status": { params: SkillsParams; result: SkillsReport };
  /** Switches a skill on or off, or sets its key and variables, for every agent. */
  "skills.update": { params: SkillUpdateParams; result: SkillUpdated };
  /** The programs that skills of any agent ask for. */
  "skills.bins": { params: NoParams; result: SkillBins };
  /** Looks at every skill and at the programs of this machine again. */
  "skills.refresh": { params: SkillsParams; result: SkillsRefreshed };
  /** Installs what a skill needs, by one of the ways that its report lists. */
  "skills.install": { params: SkillInstallParams; result: SkillSetUp };
  /** Ends what is being installed for a skill, with everything that it started. */
  "skills.install.stop": { params: SkillInstallStopParams; result: SkillInstallStopped };
  /** Allows capabilities to a community skill, as its folder is. */
  "skills.grant": { params: SkillGrantParams; result: SkillDecided };
  /** Takes capabilities back that were granted to a skill. */
  "skills.revoke": { params: SkillRevokeParams; result: SkillDecided };
  /** Says that the owner has seen what a community skill asks for: it may use that, as its folder is. */
  "skills.seen": { params: SkillSeenParams; result: SkillDecided };
  /** Lives with what a rule found in a skill, as its folder is; without a reason, no more. */
  "skills.accept": { params: SkillAcceptParams; result: SkillDecided };
  /** Trusts a skill more or less than where it came from says. */
  "skills.trust": { params: SkillTrustParams; result: SkillDecided };
  /** Moves an installed skill, or one of a workspace, into the trash. */
  "skills.remove": { params: SkillRemoveParams; result: SkillRemoved };
  /** Brings a skill back from the trash. */
  "skills.restore": { params: SkillRestoreParams; result: SkillRestored };
  /** The skills in the trash, the newest first. */
  "skills.trash": { params: NoParams; result: SkillTrash };
  /** The sessions, the one that was written to last first. */
  "sessions.list": { params: SessionsListParams; result: SessionsList };
  /** The last words of sessions. */
  "sessions.preview": { params: SessionsPreviewParams; result: SessionsPreview };
  /** Changes what a session is called or sets for itself; begins it if it is not there. */
  "sessions.patch": { params: SessionPatchParams; result: SessionChanged };
  /** Gives a session an empty transcript; the old one is kept. */
  "sessions.reset": { params: SessionParams; result: SessionChanged };
  /** The transcripts of a session: one from its beginning, one more from each reset. */
  "sessions.transcripts": { params: SessionParams; result: SessionTranscripts };
  /** Deletes a session with all its transcripts, once what is answered there is over; what was spent is kept. */
  "sessions.delete": { params: SessionParams; result: SessionDeleted };
  /** Sends a message to an agent; answered at once, the reply comes as events. */
  "chat.send": { params: ChatSendParams; result: ChatSent };
  /** A page of a session's transcript, the oldest item first. */
  "chat.history": { params: ChatHistoryParams; result: ChatHistory };
  /** Calls off the runs of a session; one that does something already ends with what comes of it. */
  "chat.abort": { params: ChatAbortParams; result: ChatAborted };
  /** Sends a message to an agent, in its main session unless another one is named; answered at once. */
  agent: { params: AgentParams2; result: AgentAccepted };
  /** Waits for a run to end. */
  "agent.wait": { params: AgentWaitParams; result: AgentWaited };
  /** The models that the configuration names. */
  "models.list": { params: NoParams; result: ModelsList };
  /** What the models cost, by day. */
  "usage.cost": { params: CostParams; result: CostReport };
  /** The tools that an agent has. */
  "tools.catalog": { params: CatalogParams; result: ToolsCatalog };
  /** The file of approved commands, without its secrets, and the hash that a change has to name. */
  "exec.approvals.get": { params: NoParams; result: ApprovalsFile };
  /** Replaces the file of approved commands. */
  "exec.approvals.set": { params: ApprovalsParams; result: ApprovalsFile };
  /** The calls that wait for the owner's word; a client that comes back asks for them. */
  "exec.approval.list": { params: NoParams; result: ApprovalList };
  /** Answers a call that waits for the owner's word. */
  "exec.approval.resolve": { params: ApprovalAnswer; result: ApprovalTaken };
  /** The jobs. */
  "cron.list": { params: CronListParams; result: CronJobs };
  /** Whether jobs are run. */
  "cron.status": { params: NoParams; result: CronStatus };
  /** The newest lines of the log, or those after a place. */
  "logs.tail": { params: LogsParams; result: LogLines };
  /** The newest records of the audit chain, oldest first. */
  "audit.tail": { params: AuditParams; result: AuditRecords };
  /** Checks the whole audit chain. */
  "audit.verify": { params: NoParams; result: AuditCheck };
  /** Copies the sessions, the settings and what shapes the agents into a new folder; secrets are left out. */
  "backup.make": { params: BackupParams; result: BackupReport };
  /** Takes the token of a device back and closes its sockets; of another device only with `operator.pairing` or `operator.admin`. */
  "device.token.revoke": { params: DeviceTokenParams; result: DeviceTokenRevoked };
};

/** Every event by its name: what it says. */
export type Events = {
  "connect.challenge": Challenge;
  tick: Tick;
  shutdown: Shutdown;
  presence: PresenceList;
  health: HealthSummary;
  "config.changed": ConfigChanged;
  "apps.changed": AppsChanged;
  "skills.changed": SkillsChanged;
  "skills.install.output": SkillsInstallOutput;
  "skills.install.ended": SkillsInstallEnded;
  "session.message": SessionMessage;
  chat: Chat;
  agent: Agent;
  "exec.approval.requested": Approval;
  "exec.approval.resolved": ApprovalResolved;
};

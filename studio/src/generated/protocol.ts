// Made by `cargo xtask protocol` from crates/protocol. Do not edit.

/** Critical findings that would block a skill if the owner had not accepted them. Every list shows them. */
export type AcceptedFindings = {
  /** Number of findings. */
  critical: number;
  /** Ids of their rules, sorted. */
  rules: string[];
};

/** A skill with critical findings that the owner accepted. */
export type AcceptedSkill = {
  /** Its name. */
  name: string;
  /** Its state. */
  status: SkillState;
  /** The findings. */
  findings: AcceptedFindings;
};

/** Payload of `agent`. */
export type Agent = {
  /** Id of the run. */
  runId: string;
  /** Key of the session. */
  sessionKey: string;
  /** Number of the event within the run. */
  seq: number;
  /** Time in milliseconds since 1970. */
  ts: number;
} & (
  /** Progress of the run. */
  | {
    stream: "lifecycle";
    data: Lifecycle;
  }
  /** Text of the answer. */
  | {
    stream: "assistant";
    data: AssistantText;
  }
  /** Reasoning of the model. */
  | {
    stream: "thinking";
    data: AssistantText;
  }
  /** Start or result of a tool call. */
  | {
    stream: "tool";
    data: ToolUpdate;
  }
  /** The same as one line for people. */
  | {
    stream: "item";
    data: ItemUpdate;
  }
  /** Usage of a model request. */
  | {
    stream: "usage";
    data: UsageUpdate;
  });

/** Result of `agent`. */
export type AgentAccepted = {
  /** Id of the run: the idempotency key. */
  runId: string;
  /** Key of the session. */
  sessionKey: string;
  /** Always `accepted`. */
  status: AgentAcceptedStatus;
  /** Time of acceptance, in milliseconds since 1970. */
  acceptedAt: number;
};

/** Status in the result of `agent`. */
export type AgentAcceptedStatus =
  /** The message was accepted. */
  | "accepted";

/** A tool call of a run. */
export type AgentCall = {
  /** Name of the tool. */
  name: string;
  /** Whether it succeeded; false while it has no result. */
  ok: boolean;
  /** Duration in milliseconds. */
  ms: number;
  /** The tool and the subject of the call, where the session shows calls. */
  title?: string;
  /** Text of the result, where the session shows results. */
  result?: string;
};

/** Result of `agents.update`. */
export type AgentChanged = {
  /** Always true; a failure is an error response. */
  ok: boolean;
  /** The agent. */
  agentId: string;
};

/** Parameters of `agents.create`. */
export type AgentCreateParams = {
  /** Display name; the id is derived from it. */
  name: string;
  /** The workspace folder. */
  workspace?: string;
  /** The language model. */
  model?: string;
  /** Validates and returns the result without creating anything. */
  dryRun?: boolean;
};

/** Result of `agents.create`. */
export type AgentCreated = {
  /** Always true; a failure is an error response. */
  ok: boolean;
  /** Id of the agent. */
  agentId: string;
  /** The name. */
  name: string;
  /** The workspace folder. */
  workspace: string;
};

/** Result of `agents.delete`. */
export type AgentDeleted = {
  /** Always true; a failure is an error response. */
  ok: boolean;
  /** The agent. */
  agentId: string;
  /** Number of bindings to the agent that were removed. */
  removedBindings: number;
};

/** One agent. */
export type AgentEntry = {
  /** Id of the agent. */
  id: string;
  /** The name. */
  name?: string;
  /** Its presentation to people. */
  identity?: AgentIdentity;
  /** The workspace folder. */
  workspace: string;
  /** The language model. */
  model?: AgentModel;
};

/** One file of an agent. */
export type AgentFile = {
  /** The name. */
  name: string;
  /** Absolute path, whether or not the file exists. */
  path: string;
  /** Whether the file does not exist. */
  missing: boolean;
  /** Size in bytes. */
  size?: number;
  /** The content; only in `agents.files.get` and `agents.files.set`. */
  content?: string;
  /** Reason why it cannot be read; only in `agents.files.list`. */
  problem?: string;
};

/** Result of `agents.files.get`. */
export type AgentFileAnswer = {
  /** The agent. */
  agentId: string;
  /** The workspace folder. */
  workspace: string;
  /** Hash for `baseHash` of a change; that of an empty file if it does not exist. */
  hash: string;
  /** Name of the file. */
  file: AgentFile;
};

/** A file of an agent's workspace. */
export type AgentFileParams = {
  /** The agent. */
  agentId: string;
  /** Name of the file. */
  name: string;
};

/** Parameters of `agents.files.set`. */
export type AgentFileSetParams = {
  /** The agent. */
  agentId: string;
  /** Name of the file. */
  name: string;
  /** The new content. */
  content: string;
  /** Hash of the version that was read; without one the file is overwritten unconditionally. */
  baseHash?: string;
};

/** Result of `agents.files.set`. */
export type AgentFileWritten = {
  /** Always true; a failure is an error response. */
  ok: boolean;
  /** The agent. */
  agentId: string;
  /** The workspace folder. */
  workspace: string;
  /** Hash for `baseHash` of a change; that of an empty file if it does not exist. */
  hash: string;
  /** Name of the file. */
  file: AgentFile;
};

/** Result of `agents.files.list`. */
export type AgentFiles = {
  /** The agent. */
  agentId: string;
  /** The workspace folder. */
  workspace: string;
  /** All eight files. */
  files: AgentFile[];
};

/** Health of an agent. */
export type AgentHealth = {
  /** Id of the agent. */
  agentId: string;
  /** Name of the agent. */
  name?: string;
  /** Whether it is the default agent. */
  isDefault: boolean;
  /** Recent sessions. */
  sessions: RecentSessions;
};

/** An agent's presentation to people. */
export type AgentIdentity = {
  /** The name. */
  name?: string;
  /** Theme, in a few words. */
  theme?: string;
  /** One emoji. */
  emoji?: string;
  /** Path of a picture in the workspace, or a `data:` URL. */
  avatar?: string;
  /** URL of a picture. */
  avatarUrl?: string;
};

/** The language model of an agent. */
export type AgentModel = {
  /** `provider/model`. */
  primary: string;
};

/** The agent of a request. */
export type AgentParams = {
  /** Id of the agent. */
  agentId: string;
};

/** Outcome of a run: the output of `tarsus agent`. */
export type AgentResult = {
  /** Id of the run. */
  runId: string;
  /** Key of the session. */
  sessionKey: string;
  /** Id of the agent. */
  agentId: string;
  /** Model that answered; `null` if none did. */
  model: string | null;
  /** Status of the run. */
  status: AgentStatus;
  /** Text of the answer, as far as it was shown. */
  text: string;
  /** Reasoning of the model, where the session shows it. */
  reasoning?: string;
  /** Id of the message that this replies to. */
  replyTo?: string;
  /** Whether the agent chose not to answer. */
  silent: boolean;
  /** Resource usage. */
  usage: AgentUsage;
  /** Tool calls, in order. */
  toolCalls: AgentCall[];
  /** Files that it changed, ordered by path. */
  changes?: FileChange[];
  /** Reason for the failure. */
  error?: string;
};

/** Parameters of `agent`. */
export type AgentRunParams = {
  /** Text of the message. */
  message: string;
  /** Id of the run; a repeated key is the same message. */
  idempotencyKey: string;
  /** Id of the agent; by default the session's, else the default agent. */
  agentId?: string;
  /** Key of the session; by default the agent's main session. */
  sessionKey?: string;
  /** Model for this run, as `provider/model`. */
  model?: string;
  /** Attached pictures and text files. */
  attachments?: ChatAttachment[];
  /** Whether the reply is also delivered to a channel; no channels exist yet. */
  deliver?: boolean;
};

/** Recent sessions of an agent. */
export type AgentSessions = {
  /** Id of the agent. */
  agentId: string;
  /** Number of all sessions. */
  count: number;
  /** The most recent ones. */
  recent: RecentSession[];
};

/** Status of a run. */
export type AgentStatus =
  /** It is running. */
  | "running"
  /** It was answered. */
  | "ok"
  /** It failed. */
  | "error"
  /** It was aborted. */
  | "aborted"
  /** Its process ended first. */
  | "interrupted";

/** Parameters of `agents.update`; absent fields are kept. */
export type AgentUpdateParams = {
  /** The agent. */
  agentId: string;
  /** The name. */
  name?: string;
  /** The workspace folder. */
  workspace?: string;
  /** The language model. */
  model?: string;
};

/** Resource usage of a run. */
export type AgentUsage = {
  /** Number of requests to models. */
  requests: number;
  /** Input tokens. */
  input: number;
  /** Output tokens. */
  output: number;
  /** Tokens read from providers' caches. */
  cacheRead: number;
  /** Tokens written to providers' caches. */
  cacheWrite: number;
  /** Cost in US dollars, as far as prices are known. */
  cost: number;
};

/** Parameters of `agent.wait`. */
export type AgentWaitParams = {
  /** Id of the run. */
  runId: string;
  /** Time limit in milliseconds; 30 seconds by default. */
  timeoutMs?: number;
};

/** Result of `agent.wait`: the run when the wait ended. */
export type AgentWaited = {
  /** Id of the run. */
  runId: string;
  /** Status of the run. */
  status: RunStatus;
  /** Start time, in milliseconds since 1970. */
  startedAt: number;
  /** End time, in milliseconds since 1970. */
  endedAt?: number;
  /** Reason for the failure. */
  error?: string;
  /** Outcome, once the run has finished. */
  result?: AgentResult;
};

/** All agents. */
export type AgentsList = {
  /** Id of the default agent. */
  defaultId: string;
  /** Last part of a main session's key: `agent:<id>:<mainKey>`. */
  mainKey: string;
  /** How sessions are divided, such as `per-sender`. */
  scope: string;
  /** The agents, in the order of the configuration. */
  agents: AgentEntry[];
};

/** Kinds of changes. */
export type AppAction =
  /** The registry file is created. */
  | "create"
  /** An entry is added. */
  | "add"
  /** An entry gets new values. */
  | "edit"
  /** An entry gets a new launch policy. */
  | "policy"
  /** An entry is deleted. */
  | "delete";

/** The reply to a request in plain language: the result of `tarsus apps ask`. */
export type AppAnswer = {
  /** The reply as a chat shows it. */
  answer: string;
  /** The launch or stop that the request led to. */
  run: AppRun | null;
};

/** A change of the registry: the result of `tarsus apps create`, `add`, `edit`, `policy` and `delete`. */
export type AppChange = {
  /** Always true: a change that fails is an error. */
  ok: boolean;
  /** Kind of change. */
  action: AppAction;
  /** Name of the app; `null` for the file itself. */
  name: string | null;
  /** The entry before the change; `null` if it is new. */
  before: unknown;
  /** The entry after the change; `null` if it was deleted. */
  after: unknown;
  /** Whether the file changed; false if it already had these values. */
  saved: boolean;
};

/** A check of the registry: the result of `tarsus apps validate`. */
export type AppCheck = {
  /** Path of the file. */
  path: string;
  /** Whether every entry is valid. */
  ok: boolean;
  /** All entries by group. */
  groups: AppGroups;
};

/** Decision of a launch policy. */
export type AppDecision =
  /** The agent may launch or stop the app. */
  | "allowed"
  /** The agent may not. */
  | "denied";

/** Parameters of `apps.delete`. */
export type AppDeleteParams = {
  /** Name of the app. */
  name: string;
  /** Hash of the registry that the change is based on. */
  baseHash?: string;
};

/** Result of `apps.delete`, with the data to restore the app. */
export type AppDeleted = {
  /** Always true: a change that fails is an error. */
  ok: boolean;
  /** Kind of change. */
  action: AppAction;
  /** Name of the app; `null` for the file itself. */
  name: string | null;
  /** The entry before the change; `null` if it is new. */
  before: unknown;
  /** The entry after the change; `null` if it was deleted. */
  after: unknown;
  /** Whether the file changed; false if it already had these values. */
  saved: boolean;
  /** The deleted entry. */
  removed: RemovedApp;
};

/** One entry of the registry. [`AppEntry::checked`] makes sure that it is valid. */
export type AppEntry = {
  /** Program, shortcut, bundle or address to launch. */
  launch_path: string;
  /** Program that runs after the launch, if known. */
  runtime_exe?: string;
  /** Name of its process, if known. */
  process_name?: string;
  /** Launch policy. */
  mode: AppMode;
  /** Agents on the allowlist; `None` in the other modes. */
  allowed_agents?: string[];
};

/** One fault of an entry. */
export type AppFault =
  /** The entry is not an object. */
  | {
    code: "not-an-object";
    /** Type of the entry. */
    found: ValueKind;
  }
  /** A text field has another type. */
  | {
    code: "not-text";
    /** Key of the field. */
    field: string;
    /** Type of its value. */
    found: ValueKind;
  }
  /** An unknown mode. */
  | {
    code: "unknown-mode";
    /** The value, cut to a short length. */
    mode: string;
  }
  /** `allowed_agents` is not a list. */
  | {
    code: "agents-not-a-list";
    /** Type of the value. */
    found: ValueKind;
  }
  /** An item of `allowed_agents` is not a string. */
  | {
    code: "agent-not-text";
    /** Position of the item, from 1. */
    position: number;
    /** Type of the item. */
    found: ValueKind;
  }
  /** A required field is missing or empty. */
  | {
    code: "missing";
    /** Key of the field. */
    field: string;
  }
  /** `allowlist` without agents. */
  | {
    code: "nobody-listed";
  }
  /** `full` or `off` with agents on the list. */
  | {
    code: "agents-left-over";
    /** The mode. */
    mode: AppMode;
  };

/** Validity of a registry entry. */
export type AppGroup =
  /** Nothing is wrong. */
  | "valid"
  /** A required field is missing. */
  | "incomplete"
  /** A value has the wrong type, or the mode is unknown. */
  | "malformed"
  /** Mode and allowed agents contradict each other. */
  | "policy_mismatch";

/** The entries of a check, by group. */
export type AppGroups = {
  /** Entries without a fault. */
  valid: ValidApp[];
  /** Entries that lack a required field. */
  incomplete: InvalidApp[];
  /** Entries with a value of the wrong type or an unknown mode. */
  malformed: InvalidApp[];
  /** Entries whose mode and allowed agents contradict each other. */
  policy_mismatch: InvalidApp[];
};

/** All registered apps: the result of `tarsus apps list`. */
export type AppList = {
  /** The registry file. */
  registry: AppRegistry;
  /** The apps, in the order of the file. */
  apps: RegisteredApp[];
};

/** Launch policy of an app. */
export type AppMode =
  /** Any agent. */
  | "full"
  /** Only the agents on the allowlist. */
  | "allowlist"
  /** No agent may launch it. */
  | "off";

/** Changes to an entry. Absent fields keep their value; `null` removes an optional one. */
export type AppPatch = {
  /** Program, shortcut, bundle or address to launch. */
  launch_path?: string;
  /** Program that runs after the launch. */
  runtime_exe?: ChangeOfstring;
  /** Name of its process. */
  process_name?: ChangeOfstring;
  /** Launch policy. */
  mode?: AppMode;
  /** Agents on the allowlist; only together with a mode. */
  allowed_agents?: string[];
};

/** Parameters of `apps.patch`. */
export type AppPatchParams = {
  /** Name of the app. */
  name: string;
  /** The changes. */
  patch: AppPatch;
  /** Hash of the registry that the change is based on. */
  baseHash?: string;
};

/** The registry file. */
export type AppRegistry = {
  /** Path of the file. */
  path: string;
  /** Whether the file exists. */
  exists: boolean;
  /** Hash of this version, to be sent as `baseHash` of a change. */
  hash: string | null;
};

/** Parameters of `apps.restore`. */
export type AppRestoreParams = {
  /** Name of the app. */
  name: string;
  /** The JSON of the entry. */
  written: string;
  /** Name of the app to insert it before; without one, or if that is gone, it goes last. */
  before?: string;
  /** Hash of the registry that the change is based on. */
  baseHash?: string;
};

/** A launch or a stop: the result of `tarsus apps launch` and `tarsus apps stop`. */
export type AppRun = {
  /** Name of the app. */
  app: string;
  /** Id of the requesting agent. */
  agent: string;
  /** Decision of the launch policy. */
  decision: AppDecision;
  /** Outcome of the launch or the stop. */
  outcome: AppRunOutcome;
  /** Program and arguments that were run; empty if nothing was. */
  launcher: string[];
  /** Ids of the processes that were started, found or stopped. */
  pids: number[];
  /** The exact error. */
  error: string | null;
};

/** Outcome of a launch or a stop. */
export type AppRunOutcome =
  /** The app was started. */
  | "started"
  /** The launcher accepted the request; no process was seen yet. */
  | "requested"
  /** The app was running already and was asked to open again. */
  | "already_running"
  /** Every process was stopped. */
  | "stopped"
  /** There was no process to stop. */
  | "not_running"
  /** The launch failed, or a process is still running. */
  | "failed"
  /** The launch policy denied it. */
  | "denied"
  /** Neither process name nor executable is stored, so there is nothing to stop. */
  | "no_stop_data";

/** Parameters of `apps.launch`. */
export type AppRunParams = {
  /** Exact name of the app. */
  name: string;
  /** Id of the requesting agent; by default the default agent. */
  agentId?: string;
  /** Environment of the desktop session to launch it in, instead of the gateway's own; administrators only. */
  session?: Record<string, string>;
};

/** A launch or a stop with details for people: the result of `apps.launch` and `apps.stop`. */
export type AppRunReport = {
  /** Name of the app. */
  app: string;
  /** Id of the requesting agent. */
  agent: string;
  /** Decision of the launch policy. */
  decision: AppDecision;
  /** Outcome of the launch or the stop. */
  outcome: AppRunOutcome;
  /** Program and arguments that were run; empty if nothing was. */
  launcher: string[];
  /** Ids of the processes that were started, found or stopped. */
  pids: number[];
  /** The exact error. */
  error: string | null;
  /** Details for people, one per line: the command, an earlier attempt, the end of each process. */
  notes: string[];
  /** Next step after a failure. */
  hint: string | null;
  /** Error code of a failure. */
  code?: ErrorCode;
};

/** Parameters of `apps.save`. */
export type AppSaveParams = {
  /** Name of the app. */
  name: string;
  /** The complete entry. */
  entry: AppEntry;
  /** Hash of the registry that the change is based on. */
  baseHash?: string;
};

/** Running state of one app. */
export type AppStatus = {
  /** Name of the app. */
  name: string;
  /** Whether the app is running; `null` if neither process name nor executable is stored. */
  running: boolean | null;
  /** Process ids. */
  pids: number[];
};

/** The running apps: the result of `tarsus apps status`. */
export type AppStatusList = {
  /** The apps, in the order of the file. */
  apps: AppStatus[];
};

/** Parameters of `apps.stop`. */
export type AppStopParams = {
  /** Exact name of the app. */
  name: string;
  /** Id of the requesting agent; by default the default agent. */
  agentId?: string;
  /** Whether the person confirmed stopping an app in mode `off`. */
  confirmed?: boolean;
};

/** A tool call that waits for approval. */
export type Approval = {
  /** Id: the number of the request in the audit log. */
  id: string;
  /** The request. */
  request: ApprovalRequest;
  /** Time of the request, in milliseconds since 1970. */
  createdAtMs: number;
  /** Time at which it is denied automatically, in milliseconds since 1970. */
  expiresAtMs: number;
};

/** A decision about an approval. */
export type ApprovalDecision =
  /** Allows this call. */
  | "allow-once"
  /** Allows this call and equal ones from now on. */
  | "allow-always"
  /** Denies the call. */
  | "deny";

/** Result of `exec.approval.list`. */
export type ApprovalList = {
  /** Pending approvals, the oldest first. */
  approvals: Approval[];
};

/** The request. */
export type ApprovalRequest = {
  /** The complete command or action. */
  command: string;
  /** Name of the tool. */
  tool: string;
  /** Working folder. */
  cwd: string;
  /** Id of the agent. */
  agentId: string;
  /** Key of the session. */
  sessionKey: string;
  /** Id of the waiting run. */
  runId: string;
  /** Reasons, one sentence each without a full stop. */
  reasons: string[];
  /** Possible decisions. */
  allowedDecisions: ApprovalDecision[];
};

/** Parameters of `exec.approval.resolve`. */
export type ApprovalResolveParams = {
  /** Id of the approval. */
  id: string;
  /** The decision. */
  decision: ApprovalDecision;
};

/** Result of `exec.approval.resolve`. */
export type ApprovalResolveResult = {
  /** Always true; a failure is an error response. */
  ok: boolean;
};

/** Payload of `exec.approval.resolved`. */
export type ApprovalResolved = {
  /** Id of the approval. */
  id: string;
  /** The decision. */
  decision: ApprovalDecision;
  /** Origin of the decision. */
  resolvedBy: ResolvedBy;
  /** Time in milliseconds since 1970. */
  ts: number;
};

/** Content of the file of approved commands. The checks of commands interpret it; here it is kept as it is. */
export type Approvals = {
  /** Version of the format. */
  version: number;
  /** Settings of the approval socket. */
  socket?: Record<string, unknown>;
  /** Defaults for all agents. */
  defaults?: Record<string, unknown>;
  /** Settings by agent id. */
  agents?: Record<string, unknown>;
};

/** The file of approved commands. */
export type ApprovalsFile = {
  /** Path of the file. */
  path: string;
  /** Whether the file exists. */
  exists: boolean;
  /** Hash for `baseHash` of a change. */
  hash: string;
  /** The content. */
  file: Approvals;
};

/** Parameters of `exec.approvals.set`. */
export type ApprovalsParams = {
  /** The new content. */
  file: Approvals;
  /** Hash of the version that was read; required if the file exists. */
  baseHash?: string;
};

/** An action on an app or on the registry. */
export type AppsAction =
  /** The registry was created. */
  | "create"
  /** An entry was added or changed. */
  | "save"
  /** An entry was deleted. */
  | "delete"
  /** The app was launched. */
  | "launch"
  /** The app was stopped. */
  | "stop"
  /** The file was changed by another program. */
  | "change";

/** Payload of `apps.changed`. */
export type AppsChanged = {
  /** The action. */
  action: AppsAction;
  /** Name of the app; `null` if the whole file changed. */
  name: string | null;
  /** Hash of the registry; `null` if it does not exist. */
  hash: string | null;
};

/** Numbers of registered apps. Zero, with a reason, if the registry cannot be read. */
export type AppsStatus = {
  /** Whether the registry exists. */
  exists: boolean;
  /** Number of entries. */
  registered: number;
  /** Number of apps known to be running. */
  running: number;
  /** Number of apps with the mode `off`. */
  off: number;
  /** Number of invalid entries. */
  doubtful: number;
  /** Reason why the registry cannot be read. */
  problem: string | null;
};

/** When approval is requested. */
export type Ask =
  /** Never ask. */
  | "off"
  /** When a program is not on the allowlist. */
  | "on-miss"
  /** Every time. */
  | "always";

/** Streamed text of an agent. */
export type AssistantText = {
  /** Text so far. */
  text: string;
  /** Newest part of the text. */
  delta: string;
};

/** Limits of attachments. */
export type AttachmentPolicy = {
  /** Maximum size of all attachments in bytes. */
  maxBytes: number;
  /** Maximum size of a picture in bytes. */
  maxImageBytes: number;
};

/** Category of an audit record. */
export type AuditCategory =
  /** Blocks, denials, approvals, grants, launches and stops. */
  | "security"
  /** The owner's use of the program. */
  | "operation";

/** Result of `audit.verify`. */
export type AuditCheck = {
  /** Whether every hash covers the line before it. */
  ok: boolean;
  /** Number of valid lines. */
  lines: number;
  /** Number of files read. */
  files: number;
  /** The first invalid line and the reason; `null` if there is none. */
  firstBad: string | null;
};

/** The last record of the audit log. */
export type AuditHead = {
  /** Number of the record. */
  seq: number;
  /** Hash of the record. */
  hash: string;
};

/** Severity of an audit record. */
export type AuditLevel =
  /** Information only. */
  | "info"
  /** Deserves attention. */
  | "warning"
  /** Something was prevented, or should have been. */
  | "critical";

/** Parameters of `audit.tail`. */
export type AuditParams = {
  /** Only records of this category. */
  category?: AuditCategory;
  /** Least serious level to include. */
  level?: AuditLevel;
  /** Earliest time, such as `2026-01-31T12:00:00Z`. */
  since?: string;
  /** Maximum number of records; 100 by default. */
  limit?: number;
};

/** Result of `audit.tail`. */
export type AuditRecords = {
  /** The records, oldest first, in the form of `tarsus audit export`. */
  records: unknown[];
  /** Number of lines that are not valid records. */
  unreadable: number;
};

/** The audit log. */
export type AuditStatus = {
  /** Number of records. */
  records: number;
  /** Whether every hash covers the line before it. */
  verified: boolean;
  /** The last record; `null` if there is none. */
  head: AuditHead | null;
  /** Number of records that could not be written for actions that must not wait (deny, stop, revoke). */
  lost: number;
  /** What is wrong and where, if it was not verified. */
  fault?: string;
};

/** Authentication method of a client. */
export type AuthMethod =
  /** The gateway's token. */
  | "token"
  /** The gateway's password. */
  | "password"
  /** The token of the device. */
  | "device-token"
  /** No authentication. */
  | "none";

/** A file of a backup. */
export type BackedUp = {
  /** Path in the backup, which equals the path below the state folder. */
  path: string;
  /** Size in bytes. */
  bytes: number;
};

/** Parameters of `backup.make`. */
export type BackupParams = {
  /** Absolute path of the folder to create the backup in; by default `<state>/tarsus/backups`. */
  to?: string;
};

/** A backup. */
export type BackupReport = {
  /** The new folder. */
  folder: string;
  /** Time of the backup, in milliseconds since 1970. */
  madeAt: number;
  /** Files in the backup. */
  files: BackedUp[];
  /** Files that could not be read. */
  leftOut: NotBackedUp[];
};

/** A content block of a message. */
export type Block =
  /** A piece of text. */
  | (TextBlock & {
    type: "text";
  })
  /** Reasoning of the model. */
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
  /** A tool call of the model. */
  | (ToolCallBlock & {
    type: "toolCall";
  })
  /** A page of the Application Manager. The text block right before it holds the same page, for clients that do not know menus. */
  | (MenuBlock & {
    type: "menu";
  })
  /** A block of an unknown kind. */
  | OtherBlock;

/** A reason that blocks a skill, other than missing requirements. */
export type BlockedBy =
  /** A finding in its files. */
  | "security"
  /** `skills.allowBundled`. */
  | "allowlist"
  /** The agent's allowlist. */
  | "agent";

/** A blocked skill with its decisive finding. */
export type BlockedSkill = {
  /** Its name. */
  name: string;
  /** The decisive finding; `null` if the skill could not be scanned. */
  finding: Finding | null;
};

/** A permission that a skill can declare and the owner can grant. */
export type Capability =
  /** Start programs. */
  | "shell"
  /** Create and change files. */
  | "filesystem"
  /** Use the network. */
  | "network"
  /** Drive a browser. */
  | "browser"
  /** Start and address other sessions. */
  | "sessions"
  /** Send messages to people. */
  | "messaging"
  /** Plan work for later. */
  | "scheduling";

/** A capability that a skill uses, with the first evidence. */
export type CapabilityUse = {
  /** The capability. */
  capability: Capability;
  /** Path below the folder, with `/`. */
  file: string;
  /** Line, from 1. */
  line: number;
  /** Column in characters, from 1. */
  column: number;
  /** Excerpt of at most 160 characters, with secrets masked. */
  excerpt: string;
  /** Number of further files with evidence. */
  more: number;
};

/** Parameters of `tools.catalog`. */
export type CatalogParams = {
  /** Id of the agent; by default the default agent. */
  agentId?: string;
};

/** A tool, and whether an agent may use it. */
export type CatalogTool = {
  /** Name that models use. */
  id: string;
  /** The id again; shown to people in a chat. */
  label: string;
  /** Description for models. */
  description: string;
  /** The origin of the tool. */
  source: ToolSource;
  /** Profiles that contain it. */
  defaultProfiles: string[];
  /** Whether the agent may use it. */
  allowed: boolean;
  /** Reason for `allowed`. */
  reason: string;
  /** Configuration key that denies it. */
  deniedBy?: string;
  /** Capability that active community skills need for it; `null` for a tool that only reads. */
  needs: Capability | null;
};

/** Kind of harm. */
export type Category =
  /** Overrides the agent's instructions. */
  | "prompt-injection"
  /** Imitates something outside the skill: a tag, a message, a tool result, a signature. */
  | "boundary-spoofing"
  /** Claims more priority or trust than a skill has. */
  | "capability-inflation"
  /** Makes the user install something unnecessary. */
  | "fake-prerequisite"
  /** Runs code from a remote server. */
  | "remote-execution"
  /** Hides the code that is run. */
  | "obfuscation"
  /** Sends private data away. */
  | "exfiltration"
  /** Reads keys, passwords, wallets. */
  | "credentials"
  /** Persists after the task: start-up files, schedules, the agent's own files. */
  | "persistence"
  /** Gains privileges or disables protection. */
  | "privilege"
  /** Deletes or corrupts data. */
  | "destructive"
  /** Opens a remote shell. */
  | "reverse-shell"
  /** Mines cryptocurrency. */
  | "miner"
  /** Installs packages from untrusted sources. */
  | "supply-chain"
  /** Contains a real key. */
  | "secrets"
  /** Contains invisible text. */
  | "hidden-text"
  /** A file that cannot be scanned, or whose type is disguised. */
  | "files"
  /** Uses a capability that it does not declare. */
  | "capability-mismatch";

/** Payload of `connect.challenge`, the first frame of a connection. */
export type Challenge = {
  /** Value that a device signs, so that no signature can be replayed. */
  nonce: string;
  /** The gateway's time, in milliseconds since 1970. */
  ts: number;
  /** Extensions of the protocol; none yet. */
  capabilities: string[];
};

/** A new value, or `null` to clear the old one. */
export type ChangeOfAsk = Ask | null;

/** A new value, or `null` to clear the old one. */
export type ChangeOfExecHost = ExecHost | null;

/** A new value, or `null` to clear the old one. */
export type ChangeOfReasoning = Reasoning | null;

/** A new value, or `null` to clear the old one. */
export type ChangeOfSecurity = Security | null;

/** A new value, or `null` to clear the old one. */
export type ChangeOfThinkingLevel = ThinkingLevel | null;

/** A new value, or `null` to clear the old one. */
export type ChangeOfVerbose = Verbose | null;

/** A new value, or `null` to clear the old one. */
export type ChangeOfstring = string | null;

/** Payload of `chat`. */
export type Chat = {
  /** Id of the run. */
  runId: string;
  /** Key of the session. */
  sessionKey: string;
  /** Number of the event within the run. */
  seq: number;
  /** State of the reply. */
  state: ChatState;
  /** Preparation phase, in the state `status`. */
  phase?: ChatPhase;
  /** Message so far. */
  message?: Message;
  /** Newest part of the text. */
  deltaText?: string;
  /** Reason for the end of a complete reply. */
  stopReason?: StopReason;
  /** Error message if there is no reply. */
  errorMessage?: string;
  /** The reason as a code, if there is one. */
  noAnswer?: NoAnswer;
};

/** Parameters of `chat.abort`. */
export type ChatAbortParams = {
  /** Key of the session. */
  sessionKey: string;
  /** Id of the only run to abort; by default all runs of the session. */
  runId?: string;
};

/** Result of `chat.abort`. */
export type ChatAborted = {
  /** Always true; a failure is an error response. */
  ok: boolean;
  /** Whether any run was aborted. */
  aborted: boolean;
  /** Aborted runs. They had no effects, and their `chat` event says `aborted`. */
  runIds: string[];
  /** Runs in the middle of an action, such as launching an app: they finish it, and their `chat` event reports the result. */
  finishing: string[];
};

/** A picture or text file attached to a message. */
export type ChatAttachment = {
  /** The client's guess, such as `image`; the content decides. */
  type?: string;
  /** The client's guess, such as `image/png`; the content decides. */
  mimeType?: string;
  /** File name. */
  fileName?: string;
  /** Content in base64 or as a `data:` URL. */
  content: string;
};

/** A page of a transcript. */
export type ChatHistory = {
  /** Key of the session. */
  sessionKey: string;
  /** Id of the session; `null` while it is empty. */
  sessionId: string | null;
  /** The items, the oldest first. */
  messages: HistoryItem[];
  /** Messages that are not stored yet; always empty. */
  pendingInputs: unknown[];
  /** Whether there are more items: newer ones with `after`, else older ones. */
  hasMore: boolean;
  /** Number of items in the transcript. */
  totalMessages: number;
  /** Tokens used by the session, in all its transcripts. */
  totalTokens: number;
  /** Model used unless the session chooses one. */
  defaults: ModelChoice;
  /** The session; `null` if it does not exist. */
  sessionInfo: SessionEntry | null;
};

/** Parameters of `chat.history`. */
export type ChatHistoryParams = {
  /** Key of the session. */
  sessionKey: string;
  /** Id of an earlier transcript; by default the current one. */
  sessionId?: string;
  /** Maximum number of items; 200 by default. */
  limit?: number;
  /** Only items after this number, the oldest of them: for clients that continue reading. */
  after?: number;
  /** Only items before this number, the newest of them. */
  before?: number;
};

/** Phase of the preparation of a model call. */
export type ChatPhase =
  /** Selects the agent, the session and the model. */
  | "preparing_workspace"
  /** Builds the prompt. */
  | "preparing_context"
  /** Calls the model. */
  | "starting_model";

/** Parameters of `chat.send`. */
export type ChatSendParams = {
  /** Key of the session. */
  sessionKey: string;
  /** Text of the message. */
  message: string;
  /** Id of the run; a repeated key is the same message. */
  idempotencyKey: string;
  /** Attached pictures and text files. */
  attachments?: ChatAttachment[];
  /** Whether the reply is also delivered to a channel; no channels exist yet. */
  deliver?: boolean;
};

/** Status of the run of a sent message. */
export type ChatSendStatus =
  /** The run starts. */
  | "started"
  /** The message was sent before; its run is in progress. */
  | "in_flight"
  /** The message was sent before and was answered. */
  | "ok"
  /** The message was sent before; its run failed or was aborted. */
  | "error";

/** Result of `chat.send`. */
export type ChatSent = {
  /** Id of the run: the idempotency key. */
  runId: string;
  /** Status of its run. */
  status: ChatSendStatus;
};

/** State of a reply. */
export type ChatState =
  /** In preparation. */
  | "status"
  /** The answer is still incomplete. */
  | "delta"
  /** The answer is complete. */
  | "final"
  /** The run was aborted. */
  | "aborted"
  /** The run failed. */
  | "error";

/** Result of one check. */
export type Check = {
  /** Id of the check; scripts may rely on it. */
  id: string;
  /** Title of the check. */
  title: string;
  /** Level of the result. */
  level: Level;
  /** The result. */
  message: string;
  /** The remedy. */
  fix?: string;
};

/** A diagnostic. */
export type CheckDiagnostic = {
  /** The code of the problem. */
  code: string;
  /** Explanation and remedy. */
  message: string;
  /** Line in the file, if known. */
  line?: number;
};

/** Reason why a file does not load. */
export type CheckError = {
  /** The code of the problem. */
  code: string;
  /** Message of OpenClaw's loader. */
  message: string;
  /** Line in the file, if known. */
  line?: number;
};

/** An installer with its declared fields. */
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
  /** A JavaScript number; integers are written without a decimal point. */
  stripComponents?: unknown;
  targetDir?: string;
};

/** Requirements of a skill. */
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

/** Numbers of skills by kind. A shadowed skill is counted only as shadowed. */
export type CheckSummary = {
  /** Skills that are not shadowed. */
  total: number;
  eligible: number;
  modelVisible: number;
  commandVisible: number;
  disabled: number;
  /** Including skills blocked by a finding. */
  blocked: number;
  /** Only skills blocked by a finding. */
  blockedBySecurity: number;
  agentFiltered: number;
  notInjected: number;
  missingRequirements: number;
  unavailable: number;
  shortened: number;
  invalid: number;
  degraded: number;
  shadowed: number;
};

/** Metadata under a vendor key that OpenClaw does not read. */
export type CheckVendor = {
  /** Name of the key. */
  vendor: string;
  /** Declared requirements. */
  requires: CheckRequires | null;
  /** Declared operating systems. */
  os: string[] | null;
  /** Whether it would ignore missing requirements. */
  always: boolean | null;
  /** Environment variable for its API key. */
  primaryEnv: string | null;
  /** Emoji for lists. */
  emoji: string | null;
  /** The page about the skill. */
  homepage: string | null;
  /** Settings key of the skill. */
  skillKey: string | null;
  /** Ways to install its programs. */
  install: CheckInstall[];
};

/** The error of a failed command. */
export type CliError = {
  /** The code; scripts may rely on it. */
  code: ErrorCode;
  /** Name of this shape. */
  type: CliErrorKind;
  /** A sentence. */
  message: string;
  /** The next step. */
  hint: string;
  /** The position in a file. */
  location?: SourceLocation;
  /** Causes and consequences. */
  notes?: string[];
};

/** Name of the shape. */
export type CliErrorKind =
  /** An error of the command line. */
  | "cli_error";

/** Output of a failed command with `--json`: `{"ok":false,"error":{…}}`. */
export type CliFailure = {
  /** Always false. */
  ok: false;
  /** The error. */
  error: CliError;
  /** The skill concerned, as the user named it. */
  skill?: string;
};

/** A known client program. */
export type ClientId = "webchat-ui" | "openclaw-control-ui" | "openclaw-browser-copilot" | "openclaw-tui" | "webchat" | "cli" | "gateway-client" | "openclaw-macos" | "openclaw-linux" | "openclaw-ios" | "openclaw-watchos" | "openclaw-android" | "node-host" | "openclaw-worker" | "test" | "fingerprint" | "openclaw-probe";

/** A client program. */
export type ClientInfo = {
  /** The program. */
  id: ClientId;
  /** Display name. */
  displayName?: string;
  /** Version, for information only. */
  version: string;
  /** Operating system. */
  platform: string;
  /** Kind of device. */
  deviceFamily?: string;
  /** Model of the device. */
  modelIdentifier?: string;
  /** Mode of use. */
  mode: ClientMode;
  /** Distinguishes two windows of the same program. */
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
  /** A machine that runs commands for the gateway. */
  | "node"
  /** A helper process of the gateway. */
  | "worker"
  /** A check whether the gateway is reachable. */
  | "probe"
  /** A test. */
  | "test";

/** Role of a client. */
export type ClientRole =
  /** Acts on behalf of the owner. */
  | "operator"
  /** Runs commands on its machine for the gateway. */
  | "node";

/** Payload of `config.changed`. */
export type ConfigChanged = {
  /** Path of the file. */
  path: string;
  /** Hash of the new version. */
  hash: string;
  /** Time in milliseconds since 1970. */
  ts: number;
};

/** A configuration path that a skill requires. */
export type ConfigCheck = {
  /** The path, with dots. */
  path: string;
  /** Whether a value is set. */
  satisfied: boolean;
};

/** Kind of a configuration issue. */
export type ConfigFault =
  /** The file cannot be read. */
  | "unreadable"
  /** The key is unknown. */
  | "unknown-key"
  /** The value has the wrong type or range. */
  | "wrong-value"
  /** It refers to an environment variable that is not set. */
  | "variable-not-set"
  /** A required key is missing. */
  | "missing-key"
  /** Agents are defined in a second place, which is ignored. */
  | "second-place"
  /** An agent is defined twice. */
  | "agent-twice"
  /** The agent id is not valid. */
  | "not-an-agent-id"
  /** Further issues are not listed. */
  | "not-listed";

/** A remark about the configuration. */
export type ConfigIssue = {
  /** Key, such as `agents.list[0].model`; empty for the whole file. */
  path: string;
  /** The problem in a sentence. */
  message: string;
  /** Line in the file, from 1. */
  line: number | null;
  /** Column in that line, in characters, from 1. */
  column: number | null;
  /** The message as a code. */
  code?: ConfigFault;
};

/** Result of `config.patch`. */
export type ConfigPatched = {
  /** Always true; a failure is an error response. */
  ok: boolean;
  /** Path of the file. */
  path: string;
  /** Hash of the new version. */
  hash: string;
  /** The new values. */
  config: unknown;
  /** Paths whose values changed. */
  changedPaths: string[];
};

/** Configuration changes that a running gateway has not applied. Everything else is in effect. */
export type ConfigReload = {
  /** Invalid files; their previous version is in effect. */
  rejected: RejectedFile[];
  /** Keys whose new value takes effect after a restart, such as `gateway.port`. */
  needsRestart: string[];
  /** Hash of the last version of `openclaw.json` that was read, whether or not it is in effect. */
  hash?: string;
};

/** Result of `config.schema`. */
export type ConfigSchema = {
  /** The JSON schema. */
  schema: unknown;
  /** Version of the program. */
  version: string;
};

/** Result of `config.get`. */
export type ConfigSnapshot = {
  /** Path of the file. */
  path: string;
  /** Whether the file exists. */
  exists: boolean;
  /** The text; `null` if it is not valid JSON5. */
  raw: string | null;
  /** Whether every value is valid. */
  valid: boolean;
  /** The values; `agents.list` is always present. */
  config: unknown;
  /** Hash for `baseHash` of a change. */
  hash: string;
  /** Invalid values. */
  issues: ConfigIssue[];
  /** Unknown keys and other harmless oddities. */
  warnings: ConfigIssue[];
};

/** State of the configuration file. */
export type ConfigStatus = {
  /** Path of the file. */
  path: string;
  /** Whether the file exists; without it the defaults are in effect. */
  exists: boolean;
  /** Whether the file is valid. */
  valid: boolean;
  /** Invalid values. */
  issues: ConfigIssue[];
  /** Unknown keys and other harmless oddities. */
  warnings: ConfigIssue[];
};

/** Parameters of `config.set` and `config.patch`. */
export type ConfigWriteParams = {
  /** The whole configuration, or the patch, as JSON5. */
  raw: string;
  /** Hash of the version that was read; required if the file exists. */
  baseHash?: string;
};

/** Result of `config.set`. */
export type ConfigWritten = {
  /** Always true; a failure is an error response. */
  ok: boolean;
  /** Path of the file. */
  path: string;
  /** Hash of the new version. */
  hash: string;
  /** The new values. */
  config: unknown;
};

/** Shared credentials of a client. */
export type ConnectAuth = {
  /** The gateway's token, or the token of the device. */
  token?: string;
  /** The gateway's password. */
  password?: string;
  /** The token that the gateway issued to the device. */
  deviceToken?: string;
};

/** A device that authenticates with its Ed25519 key. */
export type ConnectDevice = {
  /** SHA-256 of the public key, in hexadecimal. */
  id: string;
  /** Public key, 32 bytes in URL-safe base64 without padding. */
  publicKey: string;
  /** Signature over the connect parameters, in URL-safe base64. */
  signature: string;
  /** Time of the signature, in milliseconds since 1970. */
  signedAt: number;
  /** The challenge that was signed. */
  nonce?: string;
};

/** The parameters of `connect`. */
export type ConnectParams = {
  /** Oldest supported version of the protocol. */
  minProtocol: number;
  /** Newest supported version of the protocol. */
  maxProtocol: number;
  /** The client program. */
  client: ClientInfo;
  /** Requested role; operator by default. */
  role?: ClientRole;
  /** Requested scopes. Unknown ones grant nothing. */
  scopes?: string[];
  /** Extensions of the protocol that the client supports. */
  caps?: string[];
  /** Commands that a node accepts. */
  commands?: string[];
  /** Permissions of a node's machine. */
  permissions?: Record<string, boolean>;
  /** PATH of a node. */
  pathEnv?: string;
  /** Language of the person. */
  locale?: string;
  /** User agent of the browser. */
  userAgent?: string;
  /** Shared credentials. */
  auth?: ConnectAuth;
  /** The device, with its signature. */
  device?: ConnectDevice;
};

/** Limits of a connection. */
export type ConnectionPolicy = {
  /** Maximum size of a frame in bytes. */
  maxPayload: number;
  /** Maximum number of bytes queued for the client. */
  maxBufferedBytes: number;
  /** Interval of ticks in milliseconds. */
  tickIntervalMs: number;
  /** Limits of attachments. */
  attachments: AttachmentPolicy;
};

/** State of the owner's review of declared capabilities. */
export type Consent =
  /** No review needed: nothing is declared, or nothing is enforced. */
  | "not-needed"
  /** Reviewed in the current version. */
  | "seen"
  /** Not reviewed yet. */
  | "unseen"
  /** Reviewed in an earlier version. */
  | "changed"
  /** Reviewed in an earlier version that declared less. */
  | "widened";

/** SHA-256 of a skill's folder (names and contents of all files): 64 hexadecimal digits in lower case. */
export type ContentHash = string;

/** Costs of one day. */
export type CostDay = {
  /** The day, such as `2026-01-31`. */
  date: string;
  /** Input tokens, including cached ones. */
  input: number;
  /** Output tokens. */
  output: number;
  /** Sum of both. */
  totalTokens: number;
  /** Cost in US dollars, as far as prices are known. */
  totalCost: number;
};

/** Parameters of `usage.cost`. */
export type CostParams = {
  /** First day, such as `2026-01-31`. */
  startDate?: string;
  /** Last day; today by default. */
  endDate?: string;
  /** Number of days up to the last one, unless a first day is given; 30 by default. */
  days?: number;
};

/** Result of `usage.cost`. Days are in UTC. */
export type CostReport = {
  /** Time of the report, in milliseconds since 1970. */
  updatedAt: number;
  /** Costs of each day on which a model was called. */
  daily: CostDay[];
  /** Sum of all days. */
  totals: CostTotals;
};

/** Tokens and costs. */
export type CostTotals = {
  /** Input tokens, including cached ones. */
  input: number;
  /** Output tokens. */
  output: number;
  /** Sum of both. */
  totalTokens: number;
  /** Cost in US dollars, as far as prices are known. */
  totalCost: number;
};

/** Result of `cron.list`. */
export type CronJobs = {
  /** The jobs; always empty. */
  jobs: unknown[];
};

/** Parameters of `cron.list`. */
export type CronListParams = {
  /** Whether to include disabled jobs. */
  includeDisabled?: boolean;
};

/** Result of `cron.status`. */
export type CronStatus = {
  /** Whether the scheduler runs; always false. */
  enabled: boolean;
  /** Number of jobs. */
  jobs: number;
  /** Time of the next job, in milliseconds since 1970. */
  nextWakeAtMs: number | null;
};

/** Parameters of `device.token.revoke`. */
export type DeviceTokenParams = {
  /** Id of the device; by default the calling device. */
  deviceId?: string;
  /** Role of the token; by default the caller's role. */
  role?: ClientRole;
};

/** Result of `device.token.revoke`. */
export type DeviceTokenRevoked = {
  /** Always true; a failure is an error response. */
  ok: boolean;
  /** Id of the device. */
  deviceId: string;
  /** Role of the revoked token. */
  role: ClientRole;
  /** Time of the revocation, in milliseconds since 1970. */
  revokedAtMs: number;
};

/** Code of a skill diagnostic. */
export type DiagnosticCode =
  /** The file has another name than SKILL.md. */
  | "WRONG_FILE_NAME"
  /** There is no frontmatter. */
  | "NO_FRONTMATTER"
  /** The frontmatter is not terminated. */
  | "UNTERMINATED_FRONTMATTER"
  /** The frontmatter is not a map. */
  | "INVALID_ROOT"
  /** There is no name. */
  | "NO_NAME"
  /** There is no description. */
  | "NO_DESCRIPTION"
  /** YAML: an alias has a tag or an anchor. */
  | "ALIAS_PROPS"
  /** YAML: an anchor or an alias has no name. */
  | "BAD_ALIAS"
  /** YAML: an unknown escape in double quotes. */
  | "BAD_DQ_ESCAPE"
  /** YAML: wrong indentation. */
  | "BAD_INDENT"
  /** YAML: an unquoted string begins with a reserved character. */
  | "BAD_SCALAR_START"
  /** YAML: a block map as an implicit key. */
  | "BLOCK_AS_IMPLICIT_KEY"
  /** YAML: a block collection inside a flow collection. */
  | "BLOCK_IN_FLOW"
  /** YAML: a duplicate key. */
  | "DUPLICATE_KEY"
  /** YAML: a key is too long. */
  | "KEY_OVER_1024_CHARS"
  /** YAML: a character is missing. */
  | "MISSING_CHAR"
  /** YAML: an implicit key has more than one line. */
  | "MULTILINE_IMPLICIT_KEY"
  /** YAML: two anchors for one value. */
  | "MULTIPLE_ANCHORS"
  /** YAML: more than one document. */
  | "MULTIPLE_DOCS"
  /** YAML: nested too deeply. */
  | "RESOURCE_EXHAUSTION"
  /** YAML: a tab as indentation. */
  | "TAB_AS_INDENT"
  /** YAML: an unknown tag. */
  | "TAG_RESOLVE_FAILED"
  /** YAML: an unexpected token. */
  | "UNEXPECTED_TOKEN"
  /** YAML: an unresolved or excessive alias. */
  | "YAML_EXCEPTION"
  /** Its metadata cannot be read. */
  | "metadata-unreadable"
  /** Its metadata is under a vendor key that is not read. */
  | "vendor-metadata"
  /** An installer is left out. */
  | "installer-dropped"
  /** The dispatch of its command is ignored. */
  | "dispatch-ignored"
  /** An invalid YAML line was repaired. */
  | "line-repaired"
  /** The folder's name is used as its name. */
  | "name-from-folder"
  /** Other programs may reject its name. */
  | "name-outside-rule"
  /** Name and folder differ. */
  | "name-not-folder"
  /** Other programs reject a description of this length. */
  | "description-outside-rule"
  /** Tools of its own are not offered. */
  | "tools-not-offered"
  /** A setting for it has no effect. */
  | "setting-without-effect"
  /** Its files could not be scanned because they changed. */
  | "not-looked-into"
  /** The limit of skills was reached. */
  | "limit-reached"
  /** A folder or a file was skipped. */
  | "skipped"
  /** It replaces a bundled skill. */
  | "covers-bundled"
  /** The agent's allowlist names an unknown skill. */
  | "unknown-skill";

/** A changed place of a file. */
export type DiffHunk = {
  /** Number of its first line before the change, from 1. */
  oldStart: number;
  /** Number of its first line after the change, from 1. */
  newStart: number;
  /** The lines. */
  lines: DiffLine[];
};

/** A line of a diff. */
export type DiffLine = {
  /** Whether it was added or removed. */
  kind: DiffLineKind;
  /** The line without its end. */
  text: string;
};

/** Kind of a line of a diff. */
export type DiffLineKind =
  /** In both versions. */
  | "context"
  /** Only after the change. */
  | "added"
  /** Only before the change. */
  | "removed";

/** Why the lines of a change are not shown. */
export type DiffOmission =
  /** It is not text. */
  | "binary"
  /** It is too large; the shown hunks are the first ones. */
  | "too-large"
  /** One of the two versions is no longer kept. */
  | "expired";

/** Output of `tarsus doctor`. */
export type DoctorReport = {
  /** Checks, in order. */
  checks: Check[];
};

/** Code of an error; scripts may rely on it. */
export type ErrorCode =
  /** Failure without a more specific code. */
  | "failed"
  /** The command or the request is malformed. */
  | "usage"
  /** A change was not confirmed. */
  | "not-confirmed"
  /** Denied by policy. */
  | "denied"
  /** No such thing. */
  | "not-found"
  /** The name is ambiguous. */
  | "ambiguous"
  /** A file is malformed. */
  | "malformed"
  /** A file or a request is larger or deeper than allowed. */
  | "too-large"
  /** It changed since it was read. */
  | "stale"
  /** A file cannot be read or written. */
  | "io"
  /** File permissions deny access. */
  | "permission"
  /** The disk is full. */
  | "disk-full"
  /** Another process holds a lock. */
  | "busy"
  /** The audit log is not valid. */
  | "tampered"
  /** Warnings with `--strict`. */
  | "warnings"
  /** The gateway does not respond. */
  | "gateway-unreachable"
  /** It timed out. */
  | "timed-out"
  /** Interrupted by Ctrl-C. */
  | "interrupted";

/** The error of a response. */
export type ErrorShape = {
  /** The class of the error. */
  code: WireCode;
  /** The error in a sentence; some clients match on its words. */
  message: string;
  /** Data for clients. */
  details?: unknown;
  /** Whether the same request may succeed later. */
  retryable?: boolean;
};

/** An event. Unknown properties are dropped. */
export type EventFrame = {
  /** Name of the event. */
  event: string;
  /** Payload of the event. */
  payload?: unknown;
  /** Number of the event on this connection, without gaps. */
  seq?: number;
  /** Versions of the state after the event. */
  stateVersion?: StateVersion;
};

/** Place where programs run. */
export type ExecHost =
  /** In a sandbox. */
  | "sandbox"
  /** On the machine of the gateway. */
  | "gateway"
  /** On another machine. */
  | "node";

/** Methods and events of this gateway, by name. */
export type Features = {
  /** All methods. */
  methods: string[];
  /** All events. */
  events: string[];
  /** Extensions of the protocol; none yet. */
  capabilities: string[];
};

/** A text file that a person attached. */
export type FileBlock = {
  /** File name. */
  fileName: string;
  /** The content of the file. */
  text: string;
};

/** A file that a run changed: what it was before the run against what the run made of it. */
export type FileChange = {
  /** Path: relative to the workspace if it lies there, otherwise absolute. */
  path: string;
  /** What happened to it. */
  kind: FileChangeKind;
  /** Path that it was moved from. */
  movedFrom?: string;
  /** Added lines; `null` if it is not text. */
  added: number | null;
  /** Removed lines; `null` if it is not text. */
  removed: number | null;
  /** State of its undo. */
  undo: UndoState;
};

/** What happened to a file. */
export type FileChangeKind =
  /** It was created. */
  | "added"
  /** Its content changed. */
  | "modified"
  /** It was deleted. */
  | "deleted"
  /** It has another path; its content may have changed, too. */
  | "moved";

/** The changed lines of a file. */
export type FileDiff = {
  /** The path that `sessions.changes` shows. */
  path: string;
  /** The changed places, with some unchanged lines around each. */
  hunks: DiffHunk[];
  /** Why lines are missing. */
  omitted?: DiffOmission;
};

/** A finding. */
export type Finding = {
  /** Id of the rule. */
  rule: string;
  /** Short title. */
  title: string;
  /** Severity here. */
  severity: Severity;
  /** Severity of the rule by itself. */
  baseSeverity: Severity;
  /** Kind of harm. */
  category: Category;
  /** Entry of OWASP's Agentic Skills Top 10. */
  owasp: string;
  /** Path below the folder, with `/`. */
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
  /** Decoded layers, the outermost first. */
  layers: Layer[];
  /** Excerpt of at most 160 characters, with secrets masked. */
  excerpt: string;
  /** Explanation of the risk. */
  why: string;
  /** How to fix it. */
  fix: string;
  /** Reasons for lowering the severity. */
  loweredBy: Mention[];
  /** Reasons for raising the severity. */
  raisedBy: Raised[];
  /** Number of further findings of the rule in this file. */
  more: number;
  /** Identity of the finding: stable while the text moves within its file. */
  fingerprint: string;
  /** Whether the owner accepted the rule for this content, so that it does not affect the verdict. */
  accepted: boolean;
};

/** One frame, in either direction. */
export type Frame =
  /** A request of a client. */
  | {
    type: "req";
    /** Id, chosen by the client; the response carries it. */
    id: string;
    /** Name of the method. */
    method: string;
    /** Parameters of the method. */
    params?: unknown;
  }
  /** The response to a request. */
  | (ResponseFrame & {
    type: "res";
  })
  /** An event of the gateway. */
  | (EventFrame & {
    type: "event";
  });

/** State of the gateway. If it holds the lock but does not respond, only the process is known. */
export type GatewayStatus = {
  /** Whether a process holds the state folder. */
  running: boolean;
  /** Id of the process. */
  pid: number | null;
  /** The port of the gateway. */
  port: number | null;
  /** Addresses with port. */
  addresses: string[];
  /** Time since it became ready, in milliseconds. */
  uptimeMs: number | null;
  /** Version of the gateway, which may differ from that of the client. */
  version: string | null;
  /** Configuration changes that are not in effect. */
  configReload: ConfigReload | null;
};

/** Response of `/healthz`: the process is alive. */
export type Health = {
  /** Always true; an unhealthy gateway does not respond. */
  ok: true;
  /** Status text for probes. */
  status: Liveness;
};

/** Parameters of `health`. */
export type HealthParams = {
  /** Whether to check again instead of using a cached result; this gateway never caches. */
  probe?: boolean;
};

/** Health of the gateway: the result of `health` and the payload of the event. */
export type HealthSummary = {
  /** Always true; an unhealthy gateway does not respond. */
  ok: boolean;
  /** Time of the check, in milliseconds since 1970. */
  ts: number;
  /** Duration of the check in milliseconds. */
  durationMs: number;
  /** Id of the default agent. */
  defaultAgentId: string;
  /** All agents. */
  agents: AgentHealth[];
  /** Interval of heartbeats in seconds; 0 while there are none. */
  heartbeatSeconds: number;
  /** Channels by id; always empty. */
  channels: Record<string, unknown>;
  /** Order of the channels. */
  channelOrder: string[];
  /** Names of the channels. */
  channelLabels: Record<string, string>;
  /** Configuration changes that are not in effect. */
  configReload: ConfigReload;
};

/** The heartbeat of an agent. */
export type Heartbeat = {
  /** Id of the agent. */
  agentId: string;
  /** Whether the heartbeat is enabled; always false. */
  enabled: boolean;
};

/** The heartbeats of all agents. */
export type Heartbeats = {
  /** Heartbeats by agent. */
  agents: Heartbeat[];
};

/** Role and scopes of the client. */
export type HelloAuth = {
  /** Authentication method. */
  method: AuthMethod;
  /** Role of the client. */
  role: ClientRole;
  /** Scopes of the client. */
  scopes: Scope[];
  /** Token issued to this device. */
  deviceToken?: string;
  /** Time at which the token was issued, in milliseconds since 1970. */
  issuedAtMs?: number;
};

/** Name of the payload. */
export type HelloKind =
  /** The client is connected. */
  | "hello-ok";

/** Payload of the response to `connect`. */
export type HelloOk = {
  /** Name of this payload. */
  type: HelloKind;
  /** Version of the protocol on this connection. */
  protocol: number;
  /** The server program. */
  server: ServerInfo;
  /** Methods and events of this gateway. */
  features: Features;
  /** Current state. */
  snapshot: Snapshot;
  /** Role and scopes of the client. */
  auth: HelloAuth;
  /** Limits of this connection. */
  policy: ConnectionPolicy;
};

/** An item of a transcript. */
export type HistoryItem = {
  /** Content blocks. */
  content: Block[];
  /** Time in milliseconds since 1970. */
  timestamp?: number;
  /** Number of the item, for `after` and `before`. */
  number: number;
  /** Id of its run. */
  runId?: string;
} & (
  /** A person, or a process on behalf of one. */
  | {
    role: "user";
  }
  /** The model. */
  | {
    role: "assistant";
  }
  /** Instructions for the model. */
  | {
    role: "system";
  }
  /** The result of a tool call. */
  | {
    role: "toolResult";
    /** Id of the call. */
    toolCallId: string;
    /** Name of the tool. */
    toolName: string;
    /** Whether the call failed. */
    isError: boolean;
    /** Data for front ends; the model does not see it. */
    details?: unknown;
  }
  /** A remark of the runtime, such as a failed run. */
  | {
    role: "custom";
    /** Kind of the remark. */
    customType: string;
    /** Reason why there is no answer, if the remark is about that. */
    noAnswer?: NoAnswer;
  });

/** The folders in use. */
export type HomeStatus = {
  /** The state folder. */
  stateDir: string;
  /** The default agent's workspace. */
  workspace: string;
};

/** A picture. */
export type ImageBlock = {
  /** Content in base64. */
  data: string;
  /** MIME type, such as `image/png`. */
  mimeType: string;
};

/** Kind of an installer. */
export type InstallBy = "brew" | "node" | "go" | "uv" | "download";

/** Where an installer puts programs. None of them is a workspace. */
export type InstallDestination =
  /** Homebrew's own folder. */
  | "homebrew"
  /** The global folder of npm. */
  | "npm"
  /** The global folder of pnpm. */
  | "pnpm"
  /** The global folder of Yarn. */
  | "yarn"
  /** The global folder of Bun. */
  | "bun"
  /** The folder of `go install`. */
  | "go"
  /** The tools of uv. */
  | "uv";

/** Outcome of an installation. */
export type InstallOutcome =
  /** It succeeded. */
  | "installed"
  /** The run failed. */
  | "failed"
  /** It timed out and was stopped. */
  | "timed-out"
  /** It was stopped by a client or by a shutdown of the gateway. */
  | "stopped";

/** A remark about an installation. */
export type InstallRemark =
  /** The program was installed but is not on PATH. */
  | {
    code: "not-on-path";
    /** Name of the program. */
    program: string;
  }
  /** The skill is from a writable folder, whose author chose the package. */
  | {
    code: "chosen-by-folder";
  }
  /** The middle of the output is left out. */
  | {
    code: "output-cut";
  };

/** Output stream of an installer. */
export type InstallStream =
  /** Standard output. */
  | "stdout"
  /** Standard error. */
  | "stderr";

/** An entry with its faults. */
export type InvalidApp = {
  /** Name of the app. */
  name: string;
  /** Everything that is wrong with the entry, in English. */
  reasons: string[];
  /** The reasons as data, in the same order. */
  faults?: AppFault[];
};

/** Phase of an activity. */
export type ItemPhase =
  /** It starts. */
  | "start"
  /** It continues. */
  | "update"
  /** It has ended. */
  | "end";

/** State of an activity. */
export type ItemStatus =
  /** In progress. */
  | "running"
  /** It succeeded. */
  | "completed"
  /** The run failed. */
  | "failed";

/** An activity of a run, as one line for people. */
export type ItemUpdate = {
  /** Id of the activity: `tool:` and the id of the call. */
  itemId: string;
  /** Phase of the activity. */
  phase: ItemPhase;
  /** Text of the line. */
  title: string;
  /** State of the activity. */
  status: ItemStatus;
};

/** An encoding that hides a text. */
export type Layer =
  /** Base64 text. */
  | "base64"
  /** Hexadecimal digits. */
  | "hex"
  /** `\x41`, `\u0041`, `\101`. */
  | "escapes"
  /** `%41`. */
  | "percent"
  /** `&#65;`. */
  | "entities"
  /** Character codes. */
  | "character-codes"
  /** Strings joined at run time. */
  | "joined-text"
  /** Written backwards. */
  | "reversed"
  /** ROT13 text. */
  | "rot13"
  /** Compressed data. */
  | "gzip"
  /** Invisible Unicode tag characters. */
  | "tag-characters"
  /** Invisible Unicode variation selectors. */
  | "variation-selectors";

/** Level of a check; the greatest is the most serious. */
export type Level =
  /** No problem. */
  | "ok"
  /** Works, but deserves attention. */
  | "warning"
  /** Does not work. */
  | "error";

/** Progress of a run. */
export type Lifecycle =
  /** The run starts. */
  | {
    phase: "start";
    /** Time in milliseconds since 1970. */
    startedAt: number;
  }
  /** A model is called. */
  | {
    phase: "model";
    /** `provider/model`. */
    model: string;
    /** Number of the attempt, from 1. */
    attempt: number;
  }
  /** The attempt failed and is repeated; its text is discarded. */
  | {
    phase: "retry";
    /** The reason. */
    reason: string;
  }
  /** The text streamed for the current answer was not the reply; it is discarded. */
  | {
    phase: "withdrawn";
  }
  /** It has ended. */
  | {
    phase: "end";
    /** Time in milliseconds since 1970. */
    endedAt: number;
    /** Whether the run was aborted. */
    aborted: boolean;
  }
  /** The run failed. */
  | {
    phase: "error";
    /** Time in milliseconds since 1970. */
    endedAt: number;
    /** The reason. */
    error: string;
  };

/** Status text of `/healthz`. */
export type Liveness =
  /** The process is alive. */
  | "live";

/** Level of a log line, the most serious first. */
export type LogLevel = "error" | "warn" | "info" | "debug" | "trace";

/** Result of `logs.tail`. */
export type LogLines = {
  /** Path of the file. */
  file: string;
  /** Byte offset to continue from. */
  cursor: number;
  /** Size of the file in bytes. */
  size: number;
  /** The lines, oldest first. */
  lines: string[];
  /** Whether lines were left out because of a limit. */
  truncated: boolean;
  /** Whether the file was replaced since the given cursor. */
  reset: boolean;
};

/** Parameters of `logs.tail`. */
export type LogsParams = {
  /** Byte offset to continue from; by default the newest lines are returned. */
  cursor?: number;
  /** Maximum number of lines; 500 by default. */
  limit?: number;
  /** Maximum number of bytes; 250,000 by default. */
  maxBytes?: number;
  /** Only lines of this part of the program, such as `tarsus_gateway`. */
  category?: string;
  /** Least serious level to include. */
  level?: LogLevel;
  /** Earliest time, such as `2026-01-31T12:00:00Z`. */
  since?: string;
};

/** Reason for lowering the severity: the text mentions something rather than doing it. */
export type Mention =
  /** In quotation marks or a block quote. */
  | "quoted"
  /** In a table. */
  | "tabulated"
  /** The preceding words warn against it. */
  | "negated"
  /** The section explains what to avoid. */
  | "explained"
  /** In a test fixture. */
  | "fixture"
  /** The skill is a security tool. */
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
  /** Content blocks. */
  content: Block[];
  /** Time in milliseconds since 1970. */
  timestamp?: number;
} & (
  /** A person, or a process on behalf of one. */
  | {
    role: "user";
  }
  /** The model. */
  | {
    role: "assistant";
  }
  /** Instructions for the model. */
  | {
    role: "system";
  }
  /** The result of a tool call. */
  | {
    role: "toolResult";
    /** Id of the call. */
    toolCallId: string;
    /** Name of the tool. */
    toolName: string;
    /** Whether the call failed. */
    isError: boolean;
    /** Data for front ends; the model does not see it. */
    details?: unknown;
  }
  /** A remark of the runtime, such as a failed run. */
  | {
    role: "custom";
    /** Kind of the remark. */
    customType: string;
    /** Reason why there is no answer, if the remark is about that. */
    noAnswer?: NoAnswer;
  });

/** A skill with missing requirements. */
export type MissingRequirements = {
  /** Name of the skill. */
  name: string;
  /** Missing requirements. */
  missing: SkillNeeds;
  /** Installers for them, the best one first. */
  install: SkillInstall[];
};

/** A language model in two parts; empty if none is chosen. */
export type ModelChoice = {
  /** Provider: the first part of `provider/model`. */
  modelProvider?: string;
  /** Model: the second part. */
  model?: string;
};

/** A configured model. */
export type ModelEntry = {
  /** Id: the second part of `provider/model`. */
  id: string;
  /** Display name. */
  name: string;
  /** Provider: the first part of `provider/model`. */
  provider: string;
  /** Context window in tokens, if known. */
  contextWindow?: number;
  /** Whether it is a reasoning model, if known. */
  reasoning?: boolean;
};

/** Result of `models.list`. */
export type ModelsList = {
  /** The models by provider, in the order of the configuration. */
  models: ModelEntry[];
};

/** Reason why a model gave no answer. */
export type NoAnswer =
  /** The key is missing or was rejected. */
  | "auth"
  /** The account has no credit. */
  | "billing"
  /** Too many requests. */
  | "rate-limit"
  /** The server is overloaded. */
  | "overloaded"
  /** The conversation exceeds the context window. */
  | "context-too-long"
  /** The server rejected the request. */
  | "bad-request"
  /** It timed out. */
  | "timed-out"
  /** The server cannot be reached, or the connection broke. */
  | "network"
  /** The response is not valid. */
  | "malformed"
  /** The model declined to answer. */
  | "declined"
  /** The model returned an empty answer. */
  | "empty"
  /** The limit of model calls per turn was reached. */
  | "not-done";

/** Parameters of a method that takes none. */
export type NoParams = Record<string, unknown>;

/** A file missing from a backup. */
export type NotBackedUp = {
  /** Path of the file. */
  path: string;
  /** Reason for leaving it out. */
  reason: string;
};

/** A ready skill that does not fit into the prompt. */
export type NotInjected = {
  /** The name of the skill. */
  name: string;
  /** The reason. */
  reason: NotInjectedReason;
  /** The limit that was reached. */
  limit: number;
};

/** Reason why a ready skill is not in the prompt. */
export type NotInjectedReason =
  /** The maximum number of skills is reached. */
  | "max-skills-in-prompt"
  /** The maximum length of the list is reached. */
  | "max-skills-prompt-chars";

/** A block of an unknown kind, kept as it is. */
export type OtherBlock = {
  type: string;
};

/** Effect of community skills on tools: `policy` of `tarsus skills check`. */
export type PolicyReport = {
  /** Enforcement mode: `active`, `loaded` or `off`. */
  enforcement: string;
  /** Tools that are denied whatever is granted. */
  denied: string[];
  /** Tools whose capability is missing. */
  gated: string[];
  /** Responsible skills by tool; the last entry counts the rest if there are many. */
  because: Record<string, string[]>;
};

/** A connected client. */
export type Presence = {
  /** Id of the connection. */
  connId: string;
  /** The server program. */
  clientId: string;
  /** Display name. */
  host?: string;
  /** Version of the program. */
  version: string;
  /** Operating system. */
  platform: string;
  /** Mode of use. */
  mode: string;
  /** Role of the client. */
  roles: ClientRole[];
  /** Scopes of the client. */
  scopes: Scope[];
  /** Id of the device. */
  deviceId?: string;
  /** Id of the window of the program. */
  instanceId?: string;
  /** Start of the connection, in milliseconds since 1970. */
  ts: number;
};

/** Payload of `presence`. */
export type PresenceList = {
  /** Connected clients. */
  presence: Presence[];
};

/** A shortened item. */
export type PreviewItem = {
  /** Role of the speaker. */
  role: PreviewRole;
  /** Beginning of the text; ends with `…` if cut. */
  text: string;
  /** Time in milliseconds since 1970. */
  timestamp: number;
};

/** Role of the speaker. */
export type PreviewRole = "user" | "assistant" | "tool" | "system" | "other";

/** Whether there are items. */
export type PreviewStatus =
  /** It has items. */
  | "ok"
  /** It is empty. */
  | "empty"
  /** There is no such session. */
  | "missing";

/** Reason for raising the severity. */
export type Raised =
  /** In a decoded layer. */
  | "decoded"
  /** Next to a finding of another category. */
  | "combined";

/** Response of `/readyz`: whether the gateway can accept work. */
export type ReadyReport = {
  /** Whether no subsystem is failing. */
  ready: boolean;
  /** Names of failing subsystems. */
  failing: string[];
  /** Uptime of the gateway in milliseconds. */
  uptimeMs: number;
};

/** Visibility of a model's reasoning. */
export type Reasoning =
  /** It is hidden. */
  | "off"
  /** It is shown after the reply. */
  | "on"
  /** It is shown while it is streamed. */
  | "stream";

/** A recent session. */
export type RecentSession = {
  /** Key of the session. */
  key: string;
  /** Time of the last write, in milliseconds since 1970. */
  updatedAt: number;
};

/** Most recently used sessions. */
export type RecentSessions = {
  /** Number of all sessions. */
  count: number;
  /** The most recent ones. */
  recent: RecentSession[];
};

/** One stored entry with its state: the result of `tarsus apps show`. */
export type RegisteredApp = {
  /** Name of the app. */
  name: string;
  /** Program, shortcut, bundle or address to launch. */
  launch_path: string | null;
  /** Program that runs after the launch. */
  runtime_exe: string | null;
  /** Name of its process. */
  process_name: string | null;
  /** Launch policy. */
  mode: AppMode | null;
  /** Agents on the allowlist. */
  allowed_agents: string[];
  /** Validity of the entry. */
  group: AppGroup;
  /** Everything that is wrong with the entry, in English. */
  reasons: string[];
  /** The reasons as data, in the same order. */
  faults?: AppFault[];
  /** Whether the app is running; `null` if neither process name nor executable is stored. */
  running: boolean | null;
  /** Process ids. */
  pids: number[];
};

/** An invalid configuration file. */
export type RejectedFile = {
  /** Path of the file. */
  path: string;
  /** The problem in a sentence. */
  issues: ConfigIssue[];
};

/** A deleted entry. */
export type RemovedApp = {
  /** The JSON of the entry, byte for byte. */
  written: string;
  /** Name of the app after it; `null` if it was the last. */
  before: string | null;
  /** Hash of the registry after the deletion. */
  hash: string;
};

/** Origin of a decision. */
export type ResolvedBy =
  /** A client, with `exec.approval.resolve`. */
  | "client"
  /** A chat message, with `/approve`. */
  | "chat"
  /** The request timed out. */
  | "time"
  /** The run was aborted, or Tarsus is stopping. */
  | "stop";

/** The response to a request: success or failure. */
export type ResponseFrame = {
  id: string;
  ok: true;
  payload?: unknown;
} | {
  id: string;
  ok: false;
  error: ErrorShape;
};

/** Class of an error on the wire. */
export type RpcCode =
  /** The request is not valid. */
  | "INVALID_REQUEST"
  /** The caller may not do this. */
  | "FORBIDDEN"
  /** The gateway cannot do this at the moment. */
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
  /** gives the agent orders in its name or description */
  | "prompt-injection.description-order"
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
  /** is larger than the scanner's limit */
  | "files.too-large"
  /** is in a folder that holds more than what is read */
  | "files.too-much"
  /** holds more than the scanner reads */
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
  /** holds more encoded text, or deeper encoded text, than the scanner decodes */
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

/** The files that one run changed. */
export type RunChanges = {
  /** Id of the run. */
  runId: string;
  /** Key of the session. */
  sessionKey: string;
  /** Time of the first change, in milliseconds since 1970. */
  atMs: number;
  /** The files, ordered by path. */
  files: FileChange[];
};

/** Result of `sessions.diff`. */
export type RunDiff = {
  /** Id of the run. */
  runId: string;
  /** The files, ordered by path. */
  files: FileDiff[];
};

/** Parameters of `sessions.diff`. */
export type RunDiffParams = {
  /** Key of the session. */
  key: string;
  /** Id of the run. */
  runId: string;
  /** Only this file, by the path that `sessions.changes` shows. */
  path?: string;
};

/** Status of a run that was waited for. */
export type RunStatus =
  /** It was answered. */
  | "ok"
  /** It failed or was aborted. */
  | "error"
  /** It is running. */
  | "timeout";

/** Numbers of skills by state of the scan. */
export type ScanCounts = {
  /** Skills without findings. */
  clean: number;
  /** Findings to review. */
  warning: number;
  /** Skills with blocking findings. */
  blocked: number;
  /** Skills that were not scanned yet. */
  pending: number;
};

/** State of a scan. */
export type ScanState =
  /** Not scanned yet. */
  | "pending"
  /** No findings to review. */
  | "clean"
  /** Findings to review. */
  | "warning"
  /** Blocked by a finding. */
  | "blocked";

/** A permission of an operator. */
export type Scope =
  /** Read everything that is not secret. */
  | "operator.read"
  /** Send messages, launch and stop apps. */
  | "operator.write"
  /** Change the configuration. */
  | "operator.admin"
  /** Decide approvals. */
  | "operator.approvals"
  /** Manage paired devices. */
  | "operator.pairing";

/** Programs that run without approval. */
export type Security =
  /** No program may run. */
  | "deny"
  /** Those on the allowlist. */
  | "allowlist"
  /** Every program may run. */
  | "full";

/** The part of a file that contains a finding. */
export type Segment =
  /** The frontmatter. */
  | "frontmatter"
  /** A heading. */
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
  /** The title of a link, shown only on hover. */
  | "link-title"
  /** The alternative text of a picture. */
  | "alt-text"
  /** A comment. */
  | "comment"
  /** A hidden element. */
  | "hidden"
  /** Text after a very long gap. */
  | "padding"
  /** A program file. */
  | "script"
  /** The file as a whole. */
  | "file";

/** The server program. */
export type ServerInfo = {
  /** Version of the program. */
  version: string;
  /** Id of the connection. */
  connId: string;
};

/** Result of `sessions.patch` and `sessions.reset`. */
export type SessionChanged = {
  /** Always true; a failure is an error response. */
  ok: boolean;
  /** Its key. */
  key: string;
  /** The session after the change. */
  entry: SessionEntry;
  /** Model that it uses. */
  resolved: ModelChoice;
};

/** Result of `sessions.changes`. */
export type SessionChanges = {
  /** The runs, the newest first. */
  runs: RunChanges[];
};

/** Parameters of `sessions.changes`. */
export type SessionChangesParams = {
  /** Key of the session. */
  key: string;
  /** Only this run. */
  runId?: string;
  /** Maximum number of runs; 50 by default. */
  limit?: number;
};

/** Defaults of new conversations. */
export type SessionDefaults = {
  /** Id of the default agent. */
  defaultAgentId: string;
  /** Whether the default agent has a language model. */
  modelConfigured: boolean;
  /** Last part of a main session's key. */
  mainKey: string;
  /** Key of the default agent's main session. */
  mainSessionKey: string;
  /** How sessions are divided. */
  scope: string;
};

/** Result of `sessions.delete`. */
export type SessionDeleted = {
  /** Always true; a failure is an error response. */
  ok: boolean;
  /** Its key. */
  key: string;
  /** Whether the session existed. */
  deleted: boolean;
};

/** A session. */
export type SessionEntry = {
  /** Its key. */
  key: string;
  /** Id of the current transcript; a reset replaces it. */
  sessionId: string;
  /** Id of the agent. */
  agentId: string;
  /** Kind of session. */
  kind: SessionKind;
  /** Label given by a person. */
  label?: string;
  /** The label again, under the name that other front ends use. */
  displayName?: string;
  /** Creation time, in milliseconds since 1970. */
  createdAt: number;
  /** Time of the last write, in milliseconds since 1970. */
  updatedAt: number;
  /** Number of items in the transcript. */
  items: number;
  /** Provider: the first part of `provider/model`. */
  modelProvider?: string;
  /** Model: the second part. */
  model?: string;
  /** Reasoning effort. */
  thinkingLevel?: ThinkingLevel;
  /** Visibility of the model's reasoning; hidden by default. */
  reasoningLevel?: Reasoning;
  /** What is shown of tool calls; by default each front end decides. */
  verboseLevel?: Verbose;
  /** Place where programs run. */
  execHost?: ExecHost;
  /** Programs that run without approval. */
  execSecurity?: Security;
  /** When approval is requested. */
  execAsk?: Ask;
};

/** Kind of a session. */
export type SessionKind =
  /** One person and one agent. */
  | "direct";

/** Payload of `session.message`. */
export type SessionMessage = {
  /** Key of the session. */
  sessionKey: string;
  /** Id of its run. */
  runId: string;
  /** Number of the item in `chat.history`. */
  number: number;
  /** The message. */
  message: Message;
};

/** A session. */
export type SessionParams = {
  /** Its key. */
  key: string;
};

/** Parameters of `sessions.patch`; absent fields are kept. */
export type SessionPatchParams = {
  /** Key of the session. */
  key: string;
  /** Label given by a person. */
  label?: ChangeOfstring;
  /** Model, as `provider/model`. */
  model?: ChangeOfstring;
  /** Reasoning effort. */
  thinkingLevel?: ChangeOfThinkingLevel;
  /** Visibility of the model's reasoning. */
  reasoningLevel?: ChangeOfReasoning;
  /** What is shown of tool calls. */
  verboseLevel?: ChangeOfVerbose;
  /** Place where programs run. */
  execHost?: ChangeOfExecHost;
  /** Programs that run without approval. */
  execSecurity?: ChangeOfSecurity;
  /** When approval is requested. */
  execAsk?: ChangeOfAsk;
};

/** The last items of a session. */
export type SessionPreview = {
  /** The requested key. */
  key: string;
  /** Whether there are items. */
  status: PreviewStatus;
  /** The oldest first. */
  items: PreviewItem[];
};

/** Result of `sessions.transcripts`. */
export type SessionTranscripts = {
  /** Its key. */
  key: string;
  /** Transcripts, the oldest first; the last one is current. Empty if the session does not exist. */
  transcripts: TranscriptEntry[];
};

/** Result of `sessions.list`. */
export type SessionsList = {
  /** Time of the report, in milliseconds since 1970. */
  ts: number;
  /** Path of the store. */
  path: string;
  /** Number of sessions on this page. */
  count: number;
  /** Number of sessions on all pages. */
  totalCount: number;
  /** Maximum number of sessions on a page. */
  limitApplied: number;
  /** `offset` of the next page; `null` on the last page. */
  nextOffset: number | null;
  /** Whether there is a next page. */
  hasMore: boolean;
  /** Model used unless a session chooses one. */
  defaults: ModelChoice;
  /** The sessions. */
  sessions: SessionEntry[];
};

/** Parameters of `sessions.list`. */
export type SessionsListParams = {
  /** Only sessions of this agent. */
  agentId?: string;
  /** Only sessions whose key or label contains this text. */
  search?: string;
  /** Maximum number of sessions; 100 by default. */
  limit?: number;
  /** Number of sessions to skip. */
  offset?: number;
  /** Whether to include sessions without an agent; there are none. */
  includeGlobal?: boolean;
  /** Whether to include sessions of an unknown kind; there are none. */
  includeUnknown?: boolean;
};

/** Result of `sessions.preview`. */
export type SessionsPreview = {
  /** Time of the report, in milliseconds since 1970. */
  ts: number;
  /** Previews, in the order of the keys. */
  previews: SessionPreview[];
};

/** Parameters of `sessions.preview`. */
export type SessionsPreviewParams = {
  /** Keys of the sessions. */
  keys: string[];
  /** Maximum number of items per session; 8 by default. */
  limit?: number;
  /** Maximum length of an item in characters; 240 by default. */
  maxChars?: number;
};

/** Recent sessions. */
export type SessionsStatus = {
  /** Number of all sessions. */
  count: number;
  /** The most recent ones. */
  recent: RecentSession[];
  /** Of each agent. */
  byAgent: AgentSessions[];
};

/** Severity of a finding; the greatest is the most serious. */
export type Severity =
  /** Information, shown on request. */
  | "info"
  /** Should be reviewed. */
  | "warning"
  /** Blocks the skill. */
  | "critical";

/** The skill that is used instead of another of the same name. */
export type ShadowedBy = {
  /** Id of its source. */
  source: string;
  /** Path of its SKILL.md. */
  filePath: string;
};

/** Payload of `shutdown`. */
export type Shutdown = {
  /** The reason. */
  reason: string;
};

/** Parameters of `skills.accept`. */
export type SkillAcceptParams = {
  /** Id of the agent; by default the default agent. */
  agentId?: string;
  /** Name of the skill. */
  name: string;
  /** Id of the rule. */
  rule: string;
  /** Reason for accepting the finding; without one, the acceptance is withdrawn. */
  reason?: string;
};

/** Parameters of `skills.seen`. */
export type SkillApproveParams = {
  /** Id of the agent; by default the default agent. */
  agentId?: string;
  /** Name of the skill. */
  name: string;
  /** `scan.hash` of the version that was reviewed; the request fails if the folder has changed since. */
  hash: ContentHash;
};

/** Result of `skills.bins`. */
export type SkillBins = {
  /** Names of programs, sorted and unique. */
  bins: string[];
};

/** Capabilities of a skill: `capabilities` in every report about it. */
export type SkillCapabilities = {
  /** Declared capabilities, in the order of the declaration. */
  declared: Capability[];
  /** Declared names that are unknown and have no effect. */
  unknown: string[];
  /** Capabilities that its files use; absent until it is scanned. */
  used?: Capability[];
  /** Capabilities granted to the current version. */
  granted: Capability[];
  /** Capabilities granted to an earlier version; no longer effective. */
  void: Capability[];
  /** Higher tier given to an earlier version; no longer effective. */
  voidTrust?: TrustTier;
  /** Capabilities that it can use. */
  effective: Capability[];
  /** Whether capabilities are enforced; only for community skills. */
  enforced: boolean;
  /** State of the owner's review. */
  consent: Consent;
  /** Whether the owner reviewed the current version, whatever it declares. */
  seen: boolean;
  /** Limits that it declares and that are enforced, such as `shell: only git, gh`. */
  limits: string[];
  /** Limits that it declares and that are lifted because the capability was granted. */
  lifted?: string[];
  /** Declared notes about capabilities that are shown but not enforced. */
  advisory: string[];
  /** Errors in its declaration. */
  problems: string[];
};

/** The check of one file. `ok` is the result of OpenClaw's loader. A file that loads has every field; a degraded one has the same fields beside its `error`; a malformed one has only `path`, `ok`, `error`, `degraded` and `diagnostics`. */
export type SkillCheck = {
  /** Path of the file, as given. */
  path: string;
  /** Whether it loads. */
  ok: boolean;
  /** Reason why it does not load. */
  error?: CheckError;
  /** Name: from the frontmatter, else the folder's. */
  name: string | null;
  /** When to use it. */
  description: string | null;
  /** Settings key of the skill. */
  skillKey: string | null;
  /** Requirements; null if not declared. */
  requires: CheckRequires | null;
  /** Supported operating systems; null if not declared. */
  os: string[] | null;
  /** Whether it ignores missing requirements; null if not declared. */
  always: boolean | null;
  /** Environment variable for its API key. */
  primaryEnv: string | null;
  /** Emoji for lists. */
  emoji: string | null;
  /** Homepage: from the metadata, else from the frontmatter. */
  homepage: string | null;
  /** Installers; null for a malformed file. */
  install: CheckInstall[] | null;
  /** Whether it has a slash command. */
  userInvocable: boolean | null;
  /** Whether it is left out of the prompt. */
  disableModelInvocation: boolean | null;
  /** Display name. */
  displayName: string | null;
  /** Slash command before conflicts are resolved. */
  slashBase: string | null;
  /** Whether the name comes from the folder. */
  nameFromDir: boolean | null;
  /** Metadata under a vendor key that OpenClaw does not read. */
  vendorMetadata?: CheckVendor;
  /** Whether name and description could be read although the file does not load. */
  degraded: boolean;
  /** Problems of the file. */
  diagnostics: CheckDiagnostic[];
};

/** A skill after a decision about it: the output of `tarsus skills grant`, `revoke`, `accept` and `trust`. */
export type SkillDecided = {
  /** Always true; a failure is an error. */
  ok: boolean;
  /** Name of the skill. */
  name: string;
  /** Whether anything changed. */
  changed: boolean;
  /** The new state. */
  status: SkillState;
  /** Trust tier. */
  trust: TrustTier;
  /** Declared, used and effective capabilities; absent if its file cannot be read. */
  capabilities?: SkillCapabilities;
  /** Result of the scan, with accepted findings. */
  scan: SkillScan;
  /** Critical findings that the owner accepted; absent if there are none. */
  acceptedFindings?: AcceptedFindings;
};

/** A dependency that a skill declares. */
export type SkillDependency = {
  /** The name of the project. */
  name: string;
  /** Kind of the dependency. */
  type?: string;
  /** The required version. */
  version?: string;
  /** URL of its page. */
  url?: string;
  /** URL of its source code. */
  repository?: string;
};

/** A diagnostic. */
export type SkillDiagnostic = {
  /** Code. Newer versions may have more. */
  code: DiagnosticCode;
  /** Explanation and remedy. */
  message: string;
  /** Line in the SKILL.md. */
  line?: number;
  /** File or folder, if it is not the skill's. */
  path?: string;
};

/** An environment variable that a skill declares. */
export type SkillEnvVar = {
  /** The name of the variable. */
  name: string;
  /** Whether it is required, if declared. */
  required?: boolean;
  /** The purpose of the variable. */
  description?: string;
};

/** Parameters of `skills.grant`. */
export type SkillGrantParams = {
  /** Id of the agent; by default the default agent. */
  agentId?: string;
  /** Name of the skill. */
  name: string;
  /** Capabilities to grant. */
  capabilities: Capability[];
};

/** An installer for a requirement of a skill. */
export type SkillInstall = {
  /** Id of the installer. */
  id: string;
  /** Kind of the installer. */
  kind: InstallBy;
  /** Label for people. */
  label: string;
  /** Programs that it installs. */
  bins: string[];
  /** Command line: a program and its arguments. Absent if it cannot be run here. */
  command?: string[];
  /** Where the command puts what it installs. Absent if there is no command. */
  destination?: InstallDestination;
};

/** Parameters of `skills.install`. The skill is one of the default agent, whose workspace is the working folder. */
export type SkillInstallParams = {
  /** Name of the skill. */
  name: string;
  /** Id of the installer, from `install[].id` of the report. */
  installId: string;
  /** Time limit in milliseconds: from one second to fifteen minutes; five minutes by default. */
  timeoutMs?: number;
};

/** Result of `skills.install`. */
export type SkillInstallResult = {
  /** Always true; a failure is an error response. */
  ok: boolean;
  /** Message for people. */
  message: string;
  /** Standard output of the installer. */
  stdout: string;
  /** Standard error of the installer. */
  stderr: string;
  /** Exit code of the installer. */
  code: number | null;
  /** Remarks for the owner, in English. */
  warnings?: string[];
  /** The remarks as data, in the same order, for front ends in other languages. */
  remarks?: InstallRemark[];
};

/** Parameters of `skills.install.stop`. */
export type SkillInstallStopParams = {
  /** Name of the skill. */
  name: string;
  /** Id of the installer. */
  installId: string;
};

/** Result of `skills.install.stop`; the event `skills.install.ended` follows when the installation has ended. */
export type SkillInstallStopped = {
  /** Always true; a failure is an error response. */
  ok: boolean;
  /** Name of the skill. */
  name: string;
  /** Id of the installer. */
  installId: string;
};

/** Links of a skill. */
export type SkillLinks = {
  homepage?: string;
  repository?: string;
  documentation?: string;
  changelog?: string;
};

/** Requirements of a skill, by kind. */
export type SkillNeeds = {
  /** Programs, all of them. */
  bins: string[];
  /** Programs, one of them. */
  anyBins: string[];
  /** Environment variables. */
  env: string[];
  /** Configuration paths. */
  config: string[];
  /** Operating systems, one of them. */
  os: string[];
};

/** A reason why a skill is not ready. */
export type SkillReason = {
  /** The state that follows from it. */
  state: SkillState;
  /** The kind of reason. */
  kind: SkillReasonKind;
  /** The rule of a finding, else the programs, variables, settings, systems or tools that are required. */
  names?: string[];
  /** The configuration keys that take the tools in `names` away from the agent. */
  keys?: string[];
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
  /** It needs one of the tools in `names`, and this version has none of them. */
  | "tool-not-built"
  /** It needs one of the tools in `names`, and `keys` take them away from the agent. */
  | "tool-denied"
  /** A program is missing. */
  | "program"
  /** All programs of which one is required are missing. */
  | "any-program"
  /** An environment variable is not set. */
  | "variable"
  /** A path of the configuration is not set. */
  | "config";

/** Parameters of `skills.remove`. */
export type SkillRemoveParams = {
  /** Id of the agent; by default the default agent. */
  agentId?: string;
  /** Settings key of the skill. */
  skillKey: string;
};

/** Result of `skills.remove` and output of `tarsus skills remove`. */
export type SkillRemoved = {
  /** Always true; a failure is an error. */
  ok: boolean;
  /** Id for `skills.restore`. */
  id: string;
  /** Name of the skill. */
  name: string;
  /** Its former folder. */
  path: string;
  /** Oldest skills in the trash that were deleted to make space. */
  gone: string[];
};

/** Parameters of `skills.restore`. */
export type SkillRestoreParams = {
  /** Id from `skills.remove` or `skills.trash`. */
  id: string;
};

/** Result of `skills.restore` and output of `tarsus skills restore NAME`. */
export type SkillRestored = {
  /** Always true; a failure is an error. */
  ok: boolean;
  /** Name of the skill. */
  name: string;
  /** Its folder. */
  path: string;
};

/** Parameters of `skills.revoke`. */
export type SkillRevokeParams = {
  /** Id of the agent; by default the default agent. */
  agentId?: string;
  /** Name of the skill. */
  name: string;
  /** Capabilities to revoke; if empty, all granted ones. */
  capabilities: Capability[];
};

/** Result of scanning a skill. */
export type SkillScan = {
  /** State of the scan. */
  state: ScanState;
  /** SHA-256 of its folder, which decisions are pinned to. */
  hash?: string;
  /** Findings, the most serious first; a few per rule. */
  findings: Finding[];
  /** Capabilities that its texts and programs use, with evidence. */
  uses: CapabilityUse[];
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
  /** No tool does what it declares: this version has none, or the agent's tool policy takes it away. */
  | "unavailable"
  /** A program, variable or setting that it requires is missing. */
  | "missing"
  /** The agent can use it. */
  | "ready";

/** State of a skill: the output of `tarsus skills info`. */
export type SkillStatus = {
  /** Name of the skill; the folder's name if its file cannot be read. */
  name: string;
  /** When to use it. */
  description: string;
  /** Id of one of the six sources. */
  source: string;
  /** Whether it is bundled with Tarsus. */
  bundled: boolean;
  /** Path of its SKILL.md. */
  filePath: string;
  /** Its workspace. */
  baseDir: string;
  /** Settings key of the skill. */
  skillKey: string;
  /** Emoji for lists. */
  emoji?: string;
  /** The page about the skill. */
  homepage?: string;
  /** Environment variable for its API key. */
  primaryEnv?: string;
  /** Declared author. */
  author?: string;
  /** Declared help for its program. */
  cliHelp?: string;
  /** Declared links. */
  links?: SkillLinks;
  /** Declared environment variables. */
  envVars?: SkillEnvVar[];
  /** Declared dependencies. */
  dependencies?: SkillDependency[];
  /** Whether it ignores missing requirements. */
  always: boolean;
  /** Whether it is disabled. */
  disabled: boolean;
  /** Whether it is bundled and `skills.allowBundled` does not name it. */
  blockedByAllowlist: boolean;
  /** Whether the agent's allowlist does not name it. */
  blockedByAgentFilter: boolean;
  /** Whether it can be used, ignoring the agent's allowlist. */
  eligible: boolean;
  /** Whether it is for other operating systems. */
  platformIncompatible: boolean;
  /** Whether it may be in the prompt. */
  modelVisible: boolean;
  /** Whether it declares a slash command. */
  userInvocable: boolean;
  /** Whether its slash command is available. */
  commandVisible: boolean;
  /** Everything that the skill requires. */
  requirements: SkillNeeds;
  /** Missing requirements. */
  missing: SkillNeeds;
  /** Required configuration paths, without values. */
  configChecks: ConfigCheck[];
  /** Installers for its requirements, the best one first. */
  install: SkillInstall[];
  /** State: that of the first reason, or ready. */
  status: SkillState;
  /** Reasons why it is not ready, in order of precedence. */
  reasons: SkillReason[];
  /** Whether it is blocked by something other than missing requirements. */
  blocked: boolean;
  /** The blocker. */
  blockedBy: BlockedBy | null;
  /** The skill of the same name that is used instead. */
  shadowedBy?: ShadowedBy;
  /** SHA-256 of its SKILL.md. */
  contentHash?: string;
  /** Problems of its file. */
  diagnostics: SkillDiagnostic[];
  /** Trust tier. */
  trust: TrustTier;
  /** Declared, used and effective capabilities; absent if its file cannot be read. */
  capabilities?: SkillCapabilities;
  /** Result of the scan. */
  scan: SkillScan;
  /** Critical findings that the owner accepted; absent if there are none. */
  acceptedFindings?: AcceptedFindings;
};

/** Output of `tarsus skills enable` and `disable`. */
export type SkillSwitched = {
  /** Always true; a failure is an error. */
  ok: boolean;
  /** The name of the skill. */
  name: string;
  /** Settings key of the skill. */
  skillKey: string;
  /** Whether it is enabled now. */
  enabled: boolean;
  /** Whether that is a change. */
  changed: boolean;
  /** The new state. */
  status: SkillState;
};

/** Result of `skills.trash` and output of `tarsus skills restore`. */
export type SkillTrash = {
  /** Skills in the trash, the newest first. */
  skills: TrashedSkill[];
};

/** Parameters of `skills.trust`. */
export type SkillTrustParams = {
  /** Id of the agent; by default the default agent. */
  agentId?: string;
  /** Name of the skill. */
  name: string;
  /** The trust tier. */
  tier: TrustTier;
  /** Required to raise the trust of a skill that the scan blocks. */
  confirm?: TrustConfirmation;
};

/** Parameters of `skills.update`; absent fields are kept. Contains keys, so it has no `Debug`. */
export type SkillUpdateParams = {
  /** Settings key of the skill. */
  skillKey: string;
  /** Whether the skill is enabled. */
  enabled?: boolean;
  /** API key for its primary variable; an empty one removes it. */
  apiKey?: string;
  /** Environment variables for its programs; an empty value removes the variable. */
  env?: Record<string, string>;
};

/** Result of `skills.update`. */
export type SkillUpdated = {
  /** Always true; a failure is an error response. */
  ok: boolean;
  /** Settings key of the skill. */
  skillKey: string;
  /** The new settings, with secrets redacted. */
  config: Record<string, unknown>;
};

/** Cause of a change of skills. */
export type SkillsChange =
  /** The configuration changed. */
  | "config-change"
  /** Files changed. */
  | "files-change"
  /** Programs were installed or removed. */
  | "programs-change"
  /** A refresh was requested. */
  | "refresh";

/** Payload of `skills.changed`. */
export type SkillsChanged = {
  /** Cause of the change. */
  reason: SkillsChange;
  /** Ids of the agents whose skills changed. */
  agentIds: string[];
  /** Newest version of their snapshots. */
  version: number;
};

/** Summary of all skills: the output of `tarsus skills check`. */
export type SkillsCheck = {
  /** Id of the agent. */
  agentId: string;
  /** Its workspace. */
  workspaceDir: string;
  /** Folder of the skills installed for all agents. */
  managedSkillsDir: string;
  /** Numbers by kind. */
  summary: CheckSummary;
  /** Number of skills by state; every state is listed. */
  states: Record<string, number>;
  /** Skills that can be used. */
  eligible: string[];
  /** Skills that may be in the prompt. */
  modelVisible: string[];
  /** Skills whose slash command is available. */
  commandVisible: string[];
  /** Disabled skills. */
  disabled: string[];
  /** Skills blocked by a finding or by `skills.allowBundled`. */
  blocked: string[];
  /** Skills that the agent's allowlist does not name. */
  agentFiltered: string[];
  /** Ready skills that do not fit into the prompt. */
  notInjected: string[];
  /** Skills with missing requirements. */
  missingRequirements: MissingRequirements[];
  /** Skills without a tool for what they declare. */
  unavailable: UnavailableSkill[];
  /** Skills whose description is shortened or left out in the prompt. */
  shortened: string[];
  /** Skills whose file cannot be read. */
  invalid: string[];
  /** Skills whose file can be read only in part. */
  degraded: string[];
  /** Shadowed skills. */
  shadowed: string[];
  /** General diagnostics. */
  diagnostics: SkillDiagnostic[];
  /** Community skills by declared capability. */
  capabilities: Record<string, string[]>;
  /** Effect of community skills on tools. */
  policy: PolicyReport;
  /** Numbers of skills by state of the scan. */
  scan: ScanCounts;
  /** Skills blocked by a finding, each with the decisive one. */
  found: BlockedSkill[];
  /** Skills with critical findings that the owner accepted. */
  accepted: AcceptedSkill[];
};

/** Payload of `skills.install.ended`. */
export type SkillsInstallEnded = {
  /** Name of the skill. */
  name: string;
  /** Settings key of the skill. */
  skillKey: string;
  /** Id of the installer. */
  installId: string;
  /** The outcome of the installation. */
  outcome: InstallOutcome;
  /** Client that stopped it; `null` if none did. */
  by: string | null;
};

/** Payload of `skills.install.output`. */
export type SkillsInstallOutput = {
  /** Name of the skill. */
  name: string;
  /** Settings key of the skill. */
  skillKey: string;
  /** Id of the installer. */
  installId: string;
  /** Stream of the output. */
  stream: InstallStream;
  /** Text of the output. */
  text: string;
  /** Number of the output within the installation, from 1. */
  seq: number;
};

/** Parameters of `skills.status` and `skills.refresh`. */
export type SkillsParams = {
  /** Id of the agent; by default the default agent. */
  agentId?: string;
};

/** Output of `tarsus skills refresh` and result of `skills.refresh`. */
export type SkillsRefreshed = {
  /** Always true; a failure is an error. */
  ok: boolean;
  /** Version of the new snapshot. */
  version: number;
  /** Number of skills, without shadowed ones. */
  total: number;
  /** Skills added since the last refresh. */
  added: string[];
  /** Skills changed since the last refresh. */
  changed: string[];
  /** Skills removed since the last refresh. */
  removed: string[];
};

/** The skills of an agent: the output of `tarsus skills list` and the result of `skills.status`. */
export type SkillsReport = {
  /** The agent's workspace. */
  workspaceDir: string;
  /** Folder of the skills installed for all agents. */
  managedSkillsDir: string;
  /** Id of the agent. */
  agentId: string;
  /** Version of the snapshot. */
  version?: number;
  /** All skills, sorted by name; a shadowed skill follows the one that shadows it. */
  skills: SkillStatus[];
  /** Ready skills that do not fit into the prompt. */
  notInjected: NotInjected[];
  /** Skills whose description is shortened in the prompt. */
  shortened: string[];
  /** General diagnostics: limits reached, skipped folders, unknown names. */
  diagnostics: SkillDiagnostic[];
  /** Effect of the ready community skills on tools. */
  policy: PolicyReport;
};

/** Numbers of skills by state. */
export type SkillsStatus = {
  /** Skills that can be used. */
  ready: number;
  /** Skills with missing requirements. */
  needSetup: number;
  /** Skills without a tool for what they declare. */
  unavailable: number;
  /** Skills that the scan blocks. */
  blocked: number;
  /** Skills whose file cannot be read, or only in part. */
  unreadable: number;
  /** Number of limits that the search for skills reached. */
  limitsReached: number;
  /** The first blocked skill. */
  firstBlocked?: BlockedSkill;
  /** Skills with critical findings that the owner accepted. */
  accepted: number;
  /** The first of them. */
  firstAccepted?: AcceptedSkill;
};

/** Current state. */
export type Snapshot = {
  /** Connected clients. */
  presence: Presence[];
  /** Health of the gateway. */
  health: HealthSummary;
  /** Versions of these two states. */
  stateVersion: StateVersion;
  /** Uptime of the gateway in milliseconds. */
  uptimeMs: number;
  /** Defaults of new conversations. */
  sessionDefaults: SessionDefaults;
  /** Path of the configuration file; only for operators. */
  configPath?: string;
  /** Path of the state folder; only for operators. */
  stateDir?: string;
  /** Authentication method of the gateway; only for operators. */
  authMode?: AuthMethod;
};

/** A position in a file. Lines and columns count from 1; columns count characters. */
export type SourceLocation = {
  /** The file. A name that is not UTF-8 is shown with replacement characters. */
  path: string;
  /** Line, if known. */
  line?: number;
  /** Column in that line, in characters. */
  column?: number;
};

/** Versions of the state that clients mirror. */
export type StateVersion = {
  /** Version of the list of clients. */
  presence: number;
  /** Version of the health summary. */
  health: number;
};

/** Result of `status`: the report that `tarsus status` prints, recent sessions and heartbeats. */
export type StatusAnswer = {
  /** Version of the program that made this report. */
  version: string;
  /** The gateway of this state folder. */
  gateway: GatewayStatus;
  /** Default model as `provider/model`; `null` if none is configured. */
  model: string | null;
  /** The default agent's skills; `null` before the first start. */
  skills: SkillsStatus | null;
  /** Registered apps. */
  apps: AppsStatus;
  /** The configuration file. */
  config: ConfigStatus;
  /** The audit log. */
  audit: AuditStatus;
  /** The store of the sessions. */
  store: StoreStatus;
  /** Enforcement of capabilities (`active`, `loaded`, `off`); `null` if unknown. */
  enforcement: string | null;
  /** The folders in use. */
  home: HomeStatus;
  /** Recent sessions. */
  sessions: SessionsStatus;
  /** The heartbeats. */
  heartbeat: Heartbeats;
};

/** Output of `tarsus status`. */
export type StatusReport = {
  /** Version of the program that made this report. */
  version: string;
  /** The gateway of this state folder. */
  gateway: GatewayStatus;
  /** Default model as `provider/model`; `null` if none is configured. */
  model: string | null;
  /** The default agent's skills; `null` before the first start. */
  skills: SkillsStatus | null;
  /** Registered apps. */
  apps: AppsStatus;
  /** The configuration file. */
  config: ConfigStatus;
  /** The audit log. */
  audit: AuditStatus;
  /** The store of the sessions. */
  store: StoreStatus;
  /** Enforcement of capabilities (`active`, `loaded`, `off`); `null` if unknown. */
  enforcement: string | null;
  /** The folders in use. */
  home: HomeStatus;
};

/** Why a reply is complete. */
export type StopReason =
  /** The model finished. */
  | "stop";

/** The store of the sessions. */
export type StoreStatus = {
  /** Whether there is a store; the first session creates it. */
  exists: boolean;
  /** Why it cannot be used. */
  problem: string | null;
  /** What to do about it. */
  hint: string | null;
};

/** A piece of text. */
export type TextBlock = {
  /** The text. */
  text: string;
};

/** Reasoning of the model. */
export type ThinkingBlock = {
  /** Text of the reasoning. */
  thinking: string;
  /** The provider's signature, which it requires unchanged. */
  thinkingSignature?: string;
};

/** Reasoning effort of a model. */
export type ThinkingLevel =
  /** No reasoning. */
  | "off"
  /** The least possible. */
  | "minimal"
  /** Short reasoning. */
  | "low"
  /** Normal reasoning. */
  | "medium"
  /** Long reasoning. */
  | "high";

/** Payload of `tick`. */
export type Tick = {
  /** The gateway's time, in milliseconds since 1970. */
  ts: number;
};

/** A tool call of the model. */
export type ToolCallBlock = {
  /** Id of the call; the result carries it. */
  id: string;
  /** Name of the tool. */
  name: string;
  /** Arguments of the call. */
  arguments: Record<string, unknown>;
};

/** Tools with one purpose. */
export type ToolGroup = {
  /** Name in the configuration, without `group:`. */
  id: string;
  /** The id again; front ends translate it. */
  label: string;
  /** Origin of the tools. */
  source: ToolSource;
  /** The tools. */
  tools: CatalogTool[];
};

/** A tool of Tarsus: `CatalogTool.id`. */
export type ToolId = "gateway" | "nodes" | "exec" | "process" | "app_launch" | "app_stop" | "app_propose" | "write" | "edit" | "apply_patch" | "web_fetch" | "web_search" | "browser" | "sessions_spawn" | "sessions_send" | "subagents" | "message" | "cron" | "read" | "memory_search" | "memory_get" | "agents_list" | "sessions_list" | "sessions_history" | "sessions_yield" | "session_status" | "canvas" | "image" | "tts" | "apps_list" | "app_status";

/** Result of a tool call. */
export type ToolResult = {
  /** Content for the model. */
  content: Block[];
  /** Data for front ends. */
  details?: unknown;
};

/** Origin of a tool. */
export type ToolSource =
  /** Built into Tarsus. */
  | "core";

/** A tool call: its start, then its result. */
export type ToolUpdate =
  /** The call starts. */
  | {
    phase: "start";
    /** Name of the tool. */
    name: string;
    /** Id of the call. */
    toolCallId: string;
    /** The arguments of the call. */
    args: Record<string, unknown>;
  }
  /** The call has ended. */
  | {
    phase: "result";
    /** Name of the tool. */
    name: string;
    /** Id of the call. */
    toolCallId: string;
    /** The result of the call. */
    result: ToolResult;
    /** Whether the call failed. */
    isError: boolean;
  };

/** Result of `tools.catalog`. */
export type ToolsCatalog = {
  /** Id of the agent. */
  agentId: string;
  /** Profiles that the configuration can name. */
  profiles: string[];
  /** Tools by purpose. */
  groups: ToolGroup[];
};

/** A transcript of a session. */
export type TranscriptEntry = {
  /** Id of the transcript. */
  sessionId: string;
  /** Creation time, in milliseconds since 1970. */
  begunAt: number;
  /** Number of items. */
  items: number;
};

/** A skill in the trash. */
export type TrashedSkill = {
  /** Id for `skills.restore`. */
  id: string;
  /** Name of the skill. */
  name: string;
  /** Its former folder. */
  path: string;
  /** Time of the removal, as RFC 3339. */
  removedAt: string;
};

/** Shows that a person has read the findings of a blocked skill: they typed its name. */
export type TrustConfirmation = {
  /** The name as typed; the request fails if it is not the skill's. */
  name: string;
  /** `scan.hash` of the version whose findings were shown; the request fails if the folder has changed since. */
  hash: ContentHash;
};

/** The trust in a skill; the greatest is trusted most. */
export type TrustTier =
  /** From a third party: scanned, blocked if harmful, limited to its capabilities. */
  | "community"
  /** The owner's own: scanned, but not blocked. */
  | "local"
  /** Built into the program. */
  | "builtin";

/** A skill without a tool for what it declares. */
export type UnavailableSkill = {
  /** Name of the skill. */
  name: string;
  /** The reasons that are about tools. */
  reasons: SkillReason[];
};

/** Parameters of `sessions.undo`. */
export type UndoParams = {
  /** Key of the session. */
  key: string;
  /** Id of the run; by default the last one that changed files and was not undone. */
  runId?: string;
  /** Whether only to report what would happen. */
  dryRun?: boolean;
};

/** The result of an undo. */
export type UndoReport = {
  /** Id of the run; `null` if no turn of the session can be undone. */
  runId: string | null;
  /** The files, ordered by path. */
  files: UndoneFile[];
};

/** Whether a change can be undone. */
export type UndoState =
  /** Its earlier content is kept. */
  | "possible"
  /** It was undone. */
  | "undone"
  /** Its earlier content was too large to keep. */
  | "too-large"
  /** Its earlier content is no longer kept. */
  | "expired"
  /** Somebody else changed it during the turn. */
  | "changed-meanwhile";

/** The result for one file. */
export type UndoneFile = {
  /** The path that `sessions.changes` shows. */
  path: string;
} & (
  /** It has its earlier content again. */
  | {
    outcome: "restored";
  }
  /** It did not exist before the turn, and was removed. */
  | {
    outcome: "removed";
  }
  /** It was as before the turn already. */
  | {
    outcome: "unchanged";
  }
  /** It was left as it is. */
  | {
    outcome: "refused";
    /** Why, in a sentence without a full stop. */
    reason: string;
  });

/** Usage of a model request. */
export type UsageUpdate = {
  /** Model that answered, as `provider/model`. */
  model: string;
  /** Input tokens. */
  input: number;
  /** Output tokens. */
  output: number;
  /** Tokens read from the provider's cache. */
  cacheRead: number;
  /** Tokens written to the provider's cache. */
  cacheWrite: number;
  /** Cost in US dollars, if known. */
  cost?: number;
};

/** An entry without a fault. */
export type ValidApp = {
  /** Name of the app. */
  name: string;
};

/** Type of a JSON value. */
export type ValueKind =
  /** An object. */
  | "object"
  /** A list. */
  | "list"
  /** A string. */
  | "string"
  /** A number. */
  | "number"
  /** True or false. */
  | "boolean"
  /** `null`. */
  | "null";

/** What front ends show of tool calls. */
export type Verbose =
  /** Neither calls nor results. */
  | "off"
  /** The calls, without their results. */
  | "on"
  /** Calls and results. */
  | "full";

/** Class of an error on the wire: a known one, or one of a newer gateway. */
export type WireCode =
  /** A known code. */
  | RpcCode
  /** A code of a newer version. */
  | string;

/** Every method by its name: what it takes, and what it answers. */
export type Methods = {
  /** Checks that the gateway is healthy, and lists its agents. */
  health: { params: HealthParams; result: HealthSummary };
  /** Reports the state of the gateway, the configuration, the audit log, apps, skills and sessions. */
  status: { params: NoParams; result: StatusAnswer };
  /** Lists the connected clients. */
  "system-presence": { params: NoParams; result: Presence[] };
  /** Reads the configuration without its secrets, and the hash that a change requires. */
  "config.get": { params: NoParams; result: ConfigSnapshot };
  /** Replaces the configuration; only the differences are edited, so that comments are kept. */
  "config.set": { params: ConfigWriteParams; result: ConfigWritten };
  /** Applies a JSON merge patch (RFC 7396) to the configuration. */
  "config.patch": { params: ConfigWriteParams; result: ConfigPatched };
  /** Returns the JSON schema of the configuration. */
  "config.schema": { params: NoParams; result: ConfigSchema };
  /** Lists all agents. */
  "agents.list": { params: NoParams; result: AgentsList };
  /** Adds an agent to the configuration and creates its workspace; with `dryRun` it only validates. */
  "agents.create": { params: AgentCreateParams; result: AgentCreated };
  /** Changes the name, workspace or model of an agent. */
  "agents.update": { params: AgentUpdateParams; result: AgentChanged };
  /** Removes an agent from the configuration; its workspace is kept. */
  "agents.delete": { params: AgentParams; result: AgentDeleted };
  /** Lists the eight files of an agent's workspace and whether each exists. */
  "agents.files.list": { params: AgentParams; result: AgentFiles };
  /** Reads one of these files. */
  "agents.files.get": { params: AgentFileParams; result: AgentFileAnswer };
  /** Writes one of these files; with `baseHash` only if it is unchanged. */
  "agents.files.set": { params: AgentFileSetParams; result: AgentFileWritten };
  /** Lists every registered app and whether it is running. */
  "apps.list": { params: NoParams; result: AppList };
  /** Creates an empty registry. */
  "apps.create": { params: NoParams; result: AppChange };
  /** Checks every entry of the registry. */
  "apps.validate": { params: NoParams; result: AppCheck };
  /** Adds an app, or replaces the known fields of one; unknown fields are kept. */
  "apps.save": { params: AppSaveParams; result: AppChange };
  /** Changes the given fields of an app; everything else is kept as written. */
  "apps.patch": { params: AppPatchParams; result: AppChange };
  /** Deletes an app from the registry. */
  "apps.delete": { params: AppDeleteParams; result: AppDeleted };
  /** Restores a deleted app as it was written, unless its name is taken. */
  "apps.restore": { params: AppRestoreParams; result: AppChange };
  /** Launches an app for an agent, if the launch policy allows it. */
  "apps.launch": { params: AppRunParams; result: AppRunReport };
  /** Stops an app for an agent, if the launch policy allows it. */
  "apps.stop": { params: AppStopParams; result: AppRunReport };
  /** Reports the state of every skill of an agent. */
  "skills.status": { params: SkillsParams; result: SkillsReport };
  /** Enables or disables a skill, or sets its key and variables, for all agents. */
  "skills.update": { params: SkillUpdateParams; result: SkillUpdated };
  /** Lists the programs that skills of any agent require. */
  "skills.bins": { params: NoParams; result: SkillBins };
  /** Reloads all skills and checks the installed programs again. */
  "skills.refresh": { params: SkillsParams; result: SkillsRefreshed };
  /** Installs a requirement of a skill with one of the installers that its report lists. */
  "skills.install": { params: SkillInstallParams; result: SkillInstallResult };
  /** Stops a running installation with all its processes. */
  "skills.install.stop": { params: SkillInstallStopParams; result: SkillInstallStopped };
  /** Grants capabilities to a community skill, for its current content. */
  "skills.grant": { params: SkillGrantParams; result: SkillDecided };
  /** Revokes capabilities that were granted to a skill. */
  "skills.revoke": { params: SkillRevokeParams; result: SkillDecided };
  /** Approves the capabilities that a community skill declares, for its current content. */
  "skills.seen": { params: SkillApproveParams; result: SkillDecided };
  /** Accepts the findings of a rule in a skill, for its current content; without a reason, withdraws that. */
  "skills.accept": { params: SkillAcceptParams; result: SkillDecided };
  /** Sets the trust tier of a skill, overriding its source. */
  "skills.trust": { params: SkillTrustParams; result: SkillDecided };
  /** Moves an installed skill or a workspace skill to the trash. */
  "skills.remove": { params: SkillRemoveParams; result: SkillRemoved };
  /** Restores a skill from the trash. */
  "skills.restore": { params: SkillRestoreParams; result: SkillRestored };
  /** Lists the skills in the trash, the newest first. */
  "skills.trash": { params: NoParams; result: SkillTrash };
  /** Lists sessions, the most recently used first. */
  "sessions.list": { params: SessionsListParams; result: SessionsList };
  /** Returns the last items of sessions, shortened. */
  "sessions.preview": { params: SessionsPreviewParams; result: SessionsPreview };
  /** Changes the label and settings of a session; creates it if it does not exist. */
  "sessions.patch": { params: SessionPatchParams; result: SessionChanged };
  /** Starts a new transcript for a session; the old one is kept. */
  "sessions.reset": { params: SessionParams; result: SessionChanged };
  /** Lists the transcripts of a session: the first one, and one per reset. */
  "sessions.transcripts": { params: SessionParams; result: SessionTranscripts };
  /** Deletes a session with all its transcripts, once its runs have finished; recorded costs are kept. */
  "sessions.delete": { params: SessionParams; result: SessionDeleted };
  /** Lists the turns of a session that changed files, the newest first, with the changed files of each. */
  "sessions.changes": { params: SessionChangesParams; result: SessionChanges };
  /** Returns the lines that a turn changed, file by file. */
  "sessions.diff": { params: RunDiffParams; result: RunDiff };
  /** Puts back the files that a turn changed, except those that changed since; by default of the last turn that changed any. */
  "sessions.undo": { params: UndoParams; result: UndoReport };
  /** Sends a message to an agent. Returns at once; the answer arrives as events. */
  "chat.send": { params: ChatSendParams; result: ChatSent };
  /** Reads a page of a session's transcript, the oldest item first. */
  "chat.history": { params: ChatHistoryParams; result: ChatHistory };
  /** Aborts the runs of a session; a run in the middle of an action finishes it. */
  "chat.abort": { params: ChatAbortParams; result: ChatAborted };
  /** Sends a message to an agent, by default in its main session. Returns at once. */
  agent: { params: AgentRunParams; result: AgentAccepted };
  /** Waits for a run to finish. */
  "agent.wait": { params: AgentWaitParams; result: AgentWaited };
  /** Lists the configured models. */
  "models.list": { params: NoParams; result: ModelsList };
  /** Reports the costs of models by day. */
  "usage.cost": { params: CostParams; result: CostReport };
  /** Lists the tools and whether an agent may use each. */
  "tools.catalog": { params: CatalogParams; result: ToolsCatalog };
  /** Reads the file of approved commands, without its secrets, and the hash that a change requires. */
  "exec.approvals.get": { params: NoParams; result: ApprovalsFile };
  /** Replaces the file of approved commands. */
  "exec.approvals.set": { params: ApprovalsParams; result: ApprovalsFile };
  /** Lists the pending approvals; a client calls it after connecting. */
  "exec.approval.list": { params: NoParams; result: ApprovalList };
  /** Decides a pending approval. */
  "exec.approval.resolve": { params: ApprovalResolveParams; result: ApprovalResolveResult };
  /** Lists the scheduled jobs. */
  "cron.list": { params: CronListParams; result: CronJobs };
  /** Returns the state of the scheduler. */
  "cron.status": { params: NoParams; result: CronStatus };
  /** Reads the newest lines of the log, or those after a cursor. */
  "logs.tail": { params: LogsParams; result: LogLines };
  /** Reads the newest records of the audit log, oldest first. */
  "audit.tail": { params: AuditParams; result: AuditRecords };
  /** Verifies the whole audit log. */
  "audit.verify": { params: NoParams; result: AuditCheck };
  /** Copies sessions, settings and the agents' files into a new folder, without secrets. */
  "backup.make": { params: BackupParams; result: BackupReport };
  /** Revokes the token of a device and closes its sockets; for another device this requires `operator.pairing` or `operator.admin`. */
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
  "files.changed": RunChanges;
  "skills.changed": SkillsChanged;
  "skills.install.output": SkillsInstallOutput;
  "skills.install.ended": SkillsInstallEnded;
  "session.message": SessionMessage;
  chat: Chat;
  agent: Agent;
  "exec.approval.requested": Approval;
  "exec.approval.resolved": ApprovalResolved;
};

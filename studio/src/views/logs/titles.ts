// Titles of log entries: translated names for audit events, the original text for everything else.
import type { AuditRecord } from "../../state/logs/record";
import type { LogEntry, LogLevel, LogCategory } from "../../state/logs/entries";
import { type Key, t } from "../../words";

type EventKey = Extract<Key, `logs.event${string}`>;

const events: Readonly<Record<string, EventKey>> = {
  "app.launch": "logs.eventAppLaunch",
  "app.launched": "logs.eventAppLaunched",
  "app.stop": "logs.eventAppStop",
  "app.stopped": "logs.eventAppStopped",
  "app.add": "logs.eventAppAdd",
  "app.edit": "logs.eventAppEdit",
  "app.delete": "logs.eventAppDelete",
  "apps.create": "logs.eventAppsCreate",
  "secret.changed": "logs.eventSecretChanged",
  "approval.asked": "logs.eventApprovalAsked",
  "approval.answered": "logs.eventApprovalAnswered",
  "approvals.changed": "logs.eventApprovalsChanged",
  "capability.refused": "logs.eventCapabilityRefused",
  "tool.always-denied": "logs.eventAlwaysDenied",
  "dispatch.refused": "logs.eventDispatchRefused",
  "tool.refused": "logs.eventToolRefused",
  "enforcement.bypassed": "logs.eventBypassed",
  "enforcement.off": "logs.eventEnforcementOff",
  "enforcement.on": "logs.eventEnforcementOn",
  "device.paired": "logs.eventDevicePaired",
  "device.revoked": "logs.eventDeviceRevoked",
  "auth.failure": "logs.eventAuthFailure",
  "audit.adopted": "logs.eventAuditAdopted",
  "audit.reset": "logs.eventAuditReset",
  "scan.blocked": "logs.eventScanBlocked",
  "skill.grant": "logs.eventSkillGrant",
  "skill.revoke": "logs.eventSkillRevoke",
  "skill.seen": "logs.eventSkillSeen",
  "skill.accept": "logs.eventSkillAccept",
  "skill.unaccept": "logs.eventSkillUnaccept",
  "skill.trust": "logs.eventSkillTrust",
  "skill.disable": "logs.eventSkillDisable",
  "skill.enable": "logs.eventSkillEnable",
  "skill.forget": "logs.eventSkillForget",
  "skill.remove": "logs.eventSkillRemove",
  "skill.restore": "logs.eventSkillRestore",
  "skill.install": "logs.eventSkillInstall",
  "skills.edited": "logs.eventSkillsEdited",
};

/** Events whose title depends on the decision. */
const eventsByDecision: Readonly<Record<string, Readonly<Record<string, EventKey>>>> = {
  denied: {
    "app.launch": "logs.eventAppLaunchDenied",
    "app.stop": "logs.eventAppStopDenied",
    "app.add": "logs.eventChangeDenied",
    "app.edit": "logs.eventChangeDenied",
    "app.delete": "logs.eventChangeDenied",
    "apps.create": "logs.eventChangeDenied",
  },
  failed: {
    "app.launched": "logs.eventAppLaunchFailed",
    "app.stopped": "logs.eventAppStopFailed",
    "app.add": "logs.eventChangeFailed",
    "app.edit": "logs.eventChangeFailed",
    "app.delete": "logs.eventChangeFailed",
    "apps.create": "logs.eventChangeFailed",
  },
};

export function titleOf({ what, record }: LogEntry): string {
  const key = record && keyOf(record);
  return key ? t(key) : what;
}

function keyOf({ event, decision = "" }: AuditRecord): EventKey | undefined {
  const other = Object.hasOwn(eventsByDecision, decision) ? eventsByDecision[decision] : undefined;
  if (other && Object.hasOwn(other, event)) return other[event];
  return Object.hasOwn(events, event) ? events[event] : undefined;
}

export const levelText = (level: LogLevel): string => t(`logs.${level}`);
export const categoryText = (category: LogCategory): string => t(`logs.${category}`);

// The tools that there are, and which of them an agent has, as the gateway tells it.
// Promises: a gateway that tells no tools is told from one that has none for this agent.
import type { CatalogTool, ToolGroup, ToolsCatalog } from "../../generated/protocol";

/** The groups that have tools. An older gateway names none, or groups without any. */
export const groupsOf = (catalog: ToolsCatalog): ToolGroup[] => catalog.groups.filter(({ tools }) => tools?.length > 0);

export const toolsOf = (groups: readonly ToolGroup[]): CatalogTool[] => groups.flatMap((group) => group.tools);

/** Whether the key that takes a tool away holds for every agent: an agent's own words cannot give the tool back. */
export const isForAll = (key: string | undefined): boolean => key?.startsWith("tools.") ?? false;

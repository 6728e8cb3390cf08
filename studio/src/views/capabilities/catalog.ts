// The tool catalog, and which tools an agent has.
// Distinguishes a gateway without a catalog from an agent without tools.
import type { CatalogTool, ToolGroup, ToolsCatalog } from "../../generated/protocol";

/** The groups with tools. An older gateway may have none, or empty ones. */
export const groupsOf = (catalog: ToolsCatalog): ToolGroup[] => catalog.groups.filter(({ tools }) => tools?.length > 0);

export const toolsOf = (groups: readonly ToolGroup[]): CatalogTool[] => groups.flatMap((group) => group.tools);

/** The key denies the tool to every agent: the agent's own rules cannot give it back. */
export const isForAll = (key: string | undefined): boolean => key?.startsWith("tools.") ?? false;

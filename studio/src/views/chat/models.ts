// The models of this gateway, for the picker and for what is said when there is none.
import { call } from "../../gateway/calls";
import { useResource } from "../../state/resource";

export function useModels() {
  return useResource(() => call("models.list", {}), { on: { "config.changed": true } }, []);
}

export type Models = ReturnType<typeof useModels>;

// The models of this gateway, for the picker and the hint without a model.
import { call } from "../../gateway/calls";
import { useResource } from "../../state/resource";

export function useModels() {
  return useResource(() => call("models.list", {}), { on: { "config.changed": true } }, []);
}

export type Models = ReturnType<typeof useModels>;

import { expect, it } from "vitest";
import { appFault } from "./apps";

it("a missing field is called empty only where empty is wrong", () => {
  expect(appFault({ code: "missing", field: "launch_path" })).toBe("缺少 launch_path，或其为空");
  expect(appFault({ code: "missing", field: "mode" })).toBe("缺少 mode");
  expect(appFault({ code: "missing", field: "allowed_agents" })).toBe("缺少 allowed_agents");
});

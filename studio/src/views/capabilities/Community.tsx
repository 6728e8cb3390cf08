// How community skills restrict tools, and whether that is enforced.
import { call } from "../../gateway/calls";
import { Banner, Chip, Load } from "../../components";
import { useResource } from "../../state/resource";
import { t } from "../../words";
import { rich } from "../../words/rich";

export function Community() {
  const status = useResource(() => call("status", {}), { on: { "config.changed": true, "skills.changed": true } }, []);
  return (
    <section class="panel" aria-labelledby="community">
      <header>
        <h2 id="community">{t("capabilities.community")}</h2>
        {status.value.value?.enforcement && (
          <Chip icon={status.value.value.enforcement === "off" ? "warn" : "shieldok"} kind={status.value.value.enforcement === "off" ? "block" : "ready"}>
            {t("capabilities.enforcementIs", { mode: status.value.value.enforcement })}
          </Chip>
        )}
      </header>
      <div class="in">
        <Load from={status}>
          {({ enforcement }) => (
            <>
              {enforcement === "off" ? <Banner kind="bad">{rich("capabilities.enforcementOff")}</Banner> : <p>{meaning(enforcement)}</p>}
              <p>{t("capabilities.tiers")}</p>
            </>
          )}
        </Load>
      </div>
    </section>
  );
}

function meaning(enforcement: string | null) {
  if (enforcement === "active") return rich("capabilities.enforcementActive");
  if (enforcement === "loaded") return rich("capabilities.enforcementLoaded");
  return t("capabilities.enforcementUnknown");
}

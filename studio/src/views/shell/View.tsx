// Loads a view on first use and renders it.
import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { type ViewName, type ViewProps, views } from "..";
import { Banner, Button, Loading } from "../../components";
import { t } from "../../words";
import { Boundary } from "./Boundary";

type Drawn = { name: ViewName; View: ComponentType<ViewProps> };

export function View({ name, ...props }: ViewProps & { name: ViewName }) {
  const [drawn, draw] = useState<Drawn>();
  const [failed, fail] = useState(false);
  const [tries, setTries] = useState(0);
  useEffect(() => {
    let isWanted = true;
    fail(false);
    views[name]().then(
      (module) => isWanted && draw({ name, View: module.default }),
      () => isWanted && fail(true),
    );
    return () => {
      isWanted = false;
    };
  }, [name, tries]);
  if (failed) {
    return (
      <div class="page">
        <Banner
          kind="bad"
          alert
          action={
            <Button small onClick={() => setTries(tries + 1)}>
              {t("shared.tryAgain")}
            </Button>
          }
        >
          {t("shared.viewFailed")}
        </Banner>
      </div>
    );
  }
  if (drawn?.name !== name) {
    return (
      <div class="page" data-loading>
        <Loading rows={0} />
      </div>
    );
  }
  return (
    <Boundary key={`${name} ${props.agent.id}`}>
      <drawn.View {...props} />
    </Boundary>
  );
}

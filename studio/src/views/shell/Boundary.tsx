// Contains an error of one part of the page, and offers to open the part again.
import { Component, type ComponentChildren } from "preact";
import { Banner, Button } from "../../components";
import { t } from "../../words";

export class Boundary extends Component<{ children: ComponentChildren }, { failed: boolean }> {
  override state = { failed: false };

  static override getDerivedStateFromError() {
    return { failed: true };
  }

  override componentDidCatch(error: unknown) {
    console.error(error);
  }

  override render() {
    if (!this.state.failed) return this.props.children;
    return (
      <div class="page">
        <Banner
          kind="bad"
          alert
          action={
            <Button small onClick={() => this.setState({ failed: false })}>
              {t("shared.openAgain")}
            </Button>
          }
        >
          <b>{t("shared.broken")}</b> {t("shared.brokenNext")}
        </Banner>
      </div>
    );
  }
}

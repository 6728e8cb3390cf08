// The keys that work in every view.
import { Table } from "../../components";
import { t } from "../../words";

export function Keyboard() {
  const rows = [
    [t("about.tabKeys"), t("about.keyTab")],
    ["/", t("about.keySlash")],
    [t("about.rowKeys"), t("about.keyRow")],
    [t("about.spaceKeys"), t("about.keySpace")],
    [t("about.segmentKeys"), t("about.keySegment")],
    ["Ctrl Z", t("about.keyUndo")],
    [t("about.composerKeys"), t("about.keyComposer")],
    ["F6, Shift F6", t("about.keyRegion")],
  ] as const;
  return (
    <section class="about-part" aria-labelledby="about-keyboard">
      <h2 id="about-keyboard">{t("about.keyboard")}</h2>
      <Table label={t("about.keyboard")} heads={[t("about.key"), t("about.does")]} class="plain-table">
        {rows.map(([keys, does]) => (
          <tr key={keys}>
            <th scope="row" class="nowrap">
              <kbd>{keys}</kbd>
            </th>
            <td>{does}</td>
          </tr>
        ))}
      </Table>
    </section>
  );
}

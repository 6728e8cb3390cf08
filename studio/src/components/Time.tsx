// A moment: short on the page, complete in its title.
import { everyMinute } from "../state/now";
import { ago, fullMoment, moment } from "../words";

/** `relative`: "2 min. ago" instead of "18:02". */
export function Time({ at, relative }: { at: number; relative?: boolean }) {
  const now = everyMinute.value;
  return (
    <time dateTime={new Date(at).toISOString()} title={fullMoment(at)}>
      {relative ? ago(at, now) : moment(at, now)}
    </time>
  );
}

// A resource on the page: loading, failed, or shown; the last value stays beside an error.
import type { ComponentChildren } from "preact";
import { type Resource, lastValue } from "../state/resource";
import { ErrorState } from "./ErrorState";
import { Loading } from "./Loading";

type LoadProps<T> = {
  from: Resource<T>;
  /** The text of the first load. */
  loading?: string;
  /** The title of the error. */
  failed?: string;
  children: (value: T, at: number) => ComponentChildren;
};

export function Load<T>({ from, loading, failed, children }: LoadProps<T>) {
  const state = from.state.value;
  const last = lastValue(state);
  return (
    <>
      {state.state === "failed" && (
        <ErrorState error={state.error} busy={from.busy.value} onRetry={() => void from.reload()} {...(failed && { title: failed })} />
      )}
      {state.state === "loading" && <Loading {...(loading && { text: loading })} />}
      {last && children(last.value, last.at)}
    </>
  );
}

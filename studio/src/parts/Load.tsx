// A resource on the page: loading, failed, or shown; the last value stays beside an error.
import type { ComponentChildren } from "preact";
import { type Resource, lastOf } from "../state/resource";
import { ErrorState } from "./ErrorState";
import { Loading } from "./Loading";

type LoadProps<T> = {
  from: Resource<T>;
  /** While it is read for the first time. */
  loading?: string;
  /** When it could not be read. */
  failed?: string;
  children: (value: T, at: number) => ComponentChildren;
};

export function Load<T>({ from, loading, failed, children }: LoadProps<T>) {
  const state = from.state.value;
  const last = lastOf(state);
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

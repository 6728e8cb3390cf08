// Calls methods of the gateway with the types of the protocol.
// The promise always settles, with the result or a `CallError`.
import type { Methods } from "../generated/protocol";
import { CallError } from "./failure";
import { currentConnection, hello } from "./link";

export type Method = keyof Methods;
export type Params<M extends Method> = Methods[M]["params"];
export type Answer<M extends Method> = Methods[M]["result"];

export async function call<M extends Method>(
  method: M,
  params: Params<M>,
  options: { timeoutMs?: number } = {},
): Promise<Answer<M>> {
  const connection = currentConnection();
  if (!connection) throw new CallError("DISCONNECTED", "There is no connection to the gateway.", undefined, true);
  return (await connection.request(method, params, options.timeoutMs)) as Answer<M>;
}

/** An older gateway may not have the method. */
export const supportsMethod = (method: Method): boolean => hello.value?.features.methods.includes(method) ?? false;

/** Whether this page may call what needs the scope `operator.write`; `operator.admin` includes it. */
export const canWrite = (): boolean => hello.value?.auth.scopes.some((scope) => scope === "operator.write" || scope === "operator.admin") ?? false;

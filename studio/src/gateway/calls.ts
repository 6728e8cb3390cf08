// Asking the gateway for something, with the types of the protocol.
// Promises: a promise that is always settled, with the answer or a `CallError`.
import type { Methods } from "../generated/protocol";
import { CallError } from "./failure";
import { current, hello } from "./link";

export type Method = keyof Methods;
export type Params<M extends Method> = Methods[M]["params"];
export type Answer<M extends Method> = Methods[M]["result"];

export async function call<M extends Method>(
  method: M,
  params: Params<M>,
  options: { timeoutMs?: number } = {},
): Promise<Answer<M>> {
  const connection = current();
  if (!connection) throw new CallError("DISCONNECTED", "There is no connection to the gateway.", undefined, true);
  return (await connection.request(method, params, options.timeoutMs)) as Answer<M>;
}

/** Whether this gateway knows the method: an older one may not. */
export const knows = (method: Method): boolean => hello.value?.features.methods.includes(method) ?? false;

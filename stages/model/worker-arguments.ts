/** Applies the arguments of a worker to the model of a job. */
import { canonicalJson, type Json } from '../../base/values/canonical-json.js'
import { namedBy, readEffect, type BackendArgs, type ModelArgs } from './backend-args.js'
import type { AnyBackend } from './define-backend.js'
import { fromLmms } from './lmms-arguments.js'

type RawArguments = Readonly<Record<string, unknown>>

/** The arguments of a job with those of the worker that does it. */
export interface WorkerArguments {
  /** The arguments of the job, with those of the worker that are in no key. They identify the model. */
  readonly identifying: RawArguments
  /** The same with all arguments of the worker. They say where requests go, such as to the engine beside the worker. */
  readonly sending: RawArguments
  /** The names of the worker's arguments. */
  readonly own: readonly string[]
}

/**
 * Adds the arguments of a worker to those of a job. Who starts the worker vouches that its server has the job's model, so its address changes no key.
 *
 * @param submitted the arguments of the job, under the backend's own names
 * @param given the arguments of the worker, as it got them
 */
export function addWorkerArguments(backend: AnyBackend, submitted: RawArguments, given: RawArguments): WorkerArguments {
  const args: RawArguments = Object.keys(given).length === 0 ? {} : fromLmms(backend, given).args
  const unkeyed = Object.entries(args).filter(([name]) => !isKeyed(backend.args, name))
  return {
    identifying: { ...submitted, ...Object.fromEntries(unkeyed) },
    sending: { ...submitted, ...args },
    own: Object.keys(args),
  }
}

const isKeyed = (args: BackendArgs, name: string): boolean =>
  args[name] !== undefined && readEffect(args[name]) === 'output'

/** Lists the arguments of a worker that would change answers, which an address does not. */
export function listChanging(
  backend: AnyBackend,
  own: readonly string[],
  { identifying, sending }: { readonly identifying: ModelArgs; readonly sending: ModelArgs },
): readonly string[] {
  const text = (value: unknown): string | undefined => (value === undefined ? undefined : canonicalJson(value as Json))
  return own.filter(name => {
    const schema = backend.args[name]
    if (schema === undefined || !isKeyed(backend.args, name) || namedBy(schema) === 'address') return false
    return text(identifying[name]) !== text(sending[name])
  })
}

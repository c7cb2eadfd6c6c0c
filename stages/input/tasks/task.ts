import type { TaskKey } from '../../../cache/digest.js'
import type { Keyed } from '../../../cache/keys.js'
import type { GenerationKwargs, JsonObject } from '../../../cache/records.js'
import type { DataAccess } from '../datasets/hub/hub.js'
import type { FunctionRef } from './function-ref.js'
import type { TaskConfig } from './schema.js'

export type { TaskConfig } from './schema.js'

/** A benchmark that was read, checked and can be asked for its docs. */
export interface Task {
  readonly name: string
  /** The YAML file, absolute. */
  readonly file: string
  readonly folder: string
  readonly config: TaskConfig
  /** The generation kwargs that the file states. `config.generation_kwargs` has the defaults, too. */
  readonly generation: GenerationKwargs
  /** The function behind a reference of the configuration. */
  readonly functionOf: (ref: FunctionRef) => (...args: readonly unknown[]) => unknown
  /** What the task is, wherever its folder lies: the digest of its resolved YAML and of its code. */
  readonly identity: Keyed<TaskKey>
  /** Git object ids of its code, by path relative to the folder. */
  readonly closure: Readonly<Record<string, string>>
  /** What the judge needs to know of the task, also where its folder is not at hand. */
  readonly scoring: JsonObject
  /** The functions of a task that is a value of this process, by name. Those of a file are loaded from its code. */
  readonly functions?: Readonly<Record<string, (...args: readonly unknown[]) => unknown>>
  /** `file:line:column` of a value in its YAML. */
  readonly at: (path: readonly PropertyKey[]) => string
  /** What a person should know of the file: `file:line:column  what`. */
  readonly notes?: readonly string[]
  /** The folder of the YAML file in which `dataset_path` stands. */
  readonly datasetFolder: string
  /** Where its dataset may come from beside its own files; without it, from these alone. */
  readonly access?: DataAccess
}

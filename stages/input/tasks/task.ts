import type { TaskKey } from '../../../cache/digest.js'
import type { Keyed } from '../../../cache/keys.js'
import type { GenerationKwargs, StoredScoring } from '../../../cache/records.js'
import type { DataAccess } from '../datasets/hub/hub.js'
import type { FunctionRef } from './function-ref.js'
import type { TaskConfig } from './schema.js'

export type { TaskConfig } from './schema.js'

/** A loaded and checked task, whose docs can be opened. */
export interface Task {
  readonly name: string
  /** The YAML file, absolute. */
  readonly file: string
  readonly folder: string
  readonly config: TaskConfig
  /** The generation kwargs that the file states. `config.generation_kwargs` includes the defaults. */
  readonly generation: GenerationKwargs
  /** Maximum milliseconds of its code for one doc. @default the usual limit */
  readonly timeLimit?: number
  /** Hides secrets in what its code says. @default nothing is hidden */
  readonly hide?: (text: string) => string
  /** Returns the function behind a reference of the configuration. */
  readonly functionOf: (ref: FunctionRef) => (...args: readonly unknown[]) => unknown
  /** The task's identity: the digest of its resolved YAML and its code, independent of its folder. */
  readonly identity: Keyed<TaskKey>
  /** Git object ids of its code, by path relative to the folder. */
  readonly closure: Readonly<Record<string, string>>
  /** The part of the task that the judge needs when its folder is not available. */
  readonly scoring: StoredScoring
  /** The functions of a task defined in code, by name. Functions of a file are loaded from its code. */
  readonly functions?: Readonly<Record<string, (...args: readonly unknown[]) => unknown>>
  /** Returns `file:line:column` of a value in its YAML. */
  readonly at: (path: readonly PropertyKey[]) => string
  /** Notes on the file: `file:line:column  what`. */
  readonly notes?: readonly string[]
  /** The folder of the YAML file that contains `dataset_path`. */
  readonly datasetFolder: string
  /** The folder of the YAML file that contains `dataset_kwargs`. @default datasetFolder */
  readonly kwargsFolder?: string
  /** The folder of local media, if it is not the folder of the data file, because a program's rows are stored in the work folder. */
  readonly mediaFolder?: string
  /** Access to datasets beyond the task's own files; without it, only these are read. */
  readonly access?: DataAccess
}

/** Hides secrets in a text of a task's code. */
export const shownText = ({ hide }: Pick<Task, 'hide'>, text: string): string => hide?.(text) ?? text

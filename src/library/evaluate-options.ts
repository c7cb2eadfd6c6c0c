import type { PortableStore } from '../../cache/bundle/portable.js'
import type { Emit } from '../../cache/events.js'
import type { JsonObject, Run } from '../../cache/records.js'
import type { RunCounts, Store } from '../../cache/store.js'
import type { TaskValue } from '../../stages/input/tasks/task-value.js'
import type { ProgramOptionsOf } from '../config/option.js'
import type { plainOptions } from '../config/options.js'
import type { Stages } from '../evaluation/settings.js'
import type { JudgeValue, ModelValue } from './values.js'

/** A store that is open. Whoever opened it closes it. */
export type OpenedStore = Store & PortableStore

/** One evaluation: what `pipeline eval` takes as flags, by the same names. Only `model` and `tasks` must be given. */
export interface EvaluateOptions<
  Tasks extends readonly (string | TaskValue)[] = readonly (string | TaskValue)[],
> extends ProgramOptionsOf<typeof plainOptions> {
  /** A folder, or a store that is open already and stays so. @default `$PIPELINE_STORE`, else `./.pipeline` */
  readonly store?: string | OpenedStore | Promise<OpenedStore>
  /** A model, such as `openai({ model: 'gpt-4o' })`, or the name of a backend, built in or from a plugin. */
  readonly model: string | ModelValue
  /** Its arguments. Secrets among them are used and never stored. @default {} */
  readonly modelArgs?: Readonly<Record<string, unknown>>
  /** What `defineTask` returned; names, patterns, folders, YAML files, and files of code that export tasks. */
  readonly tasks: Tasks
  /** Over the tasks' own. @default {} */
  readonly genKwargs?: JsonObject
  /** The model that is asked where a task's score needs one. @default none */
  readonly judge?: ModelValue | JudgeValue
  /** Its arguments. @default {} */
  readonly judgeArgs?: Readonly<Record<string, unknown>>
  /** Folders of further tasks. @default [] */
  readonly includePaths?: readonly string[]
  /** Files or packages with further backends, metrics, filters and aggregations. @default [] */
  readonly plugins?: readonly string[]
  /** Which of the stages work. @default all three */
  readonly stages?: Stages
  /** What happens, as it happens. */
  readonly onEvent?: Emit
  /** Which run it is, as soon as that is known, with what the store has of it already. */
  readonly onRun?: (run: Run, isNew: boolean, counts: RunCounts) => void
  /** Aborted: stop now. What is answered is kept, and the same call goes on with the rest. */
  readonly signal?: AbortSignal
  /** Aborted: finish what is in flight, start nothing new. */
  readonly drain?: AbortSignal
  /** The same as `signal`. */
  readonly stop?: AbortSignal
}

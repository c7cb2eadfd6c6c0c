import type { PortableStore } from '../../../cache/bundle/portable.js'
import type { Emit } from '../../../cache/events.js'
import type { JsonObject, Run } from '../../../cache/records.js'
import type { RunCounts, Store } from '../../../cache/store.js'
import type { TaskValue } from '../../../stages/input/tasks/task-value.js'
import type { ProgramOptionsOf } from '../../config/option.js'
import type { plainOptions } from '../../config/options.js'
import type { Stages } from '../../config/settings.js'
import type { JudgeValue, ModelValue } from '../values/values.js'

/** A judge model: a model, `defineJudge({ model })`, or a backend's name with its arguments. */
export type GivenJudge = ModelValue | JudgeValue | string

/** An open store. The caller owns it and must close it. */
export type OpenedStore = Store & PortableStore

/** The options of one evaluation, with the names of the flags of `pipeline eval`. Only `model` and `tasks` are required. */
export interface EvaluateOptions<
  Tasks extends readonly (string | TaskValue)[] = readonly (string | TaskValue)[],
> extends ProgramOptionsOf<typeof plainOptions> {
  /** A folder, or an open store, which is not closed. @default `$PIPELINE_STORE`, or else `./.pipeline` */
  readonly store?: string | OpenedStore | Promise<OpenedStore>
  /** A model, such as `openai({ model: 'gpt-4o' })`, or the name of a built-in or plugin backend. */
  readonly model: string | ModelValue
  /** Arguments of `model`, if it is a name. Secrets among them are never stored. @default {} */
  readonly modelArgs?: Readonly<Record<string, unknown>>
  /** Values from `defineTask`, names, patterns, folders, YAML files, or code files that export tasks. */
  readonly tasks: Tasks
  /** Generation kwargs that override those of the tasks. @default {} */
  readonly genKwargs?: JsonObject
  /** The judge model of tasks that need one. @default none */
  readonly judge?: ModelValue | JudgeValue
  /** Arguments of `judge`. @default {} */
  readonly judgeArgs?: Readonly<Record<string, unknown>>
  /**
   * The judges of some tasks or metrics, by `TASK` or `TASK.METRIC`, which may have `*`. A list of judges is a panel. A text is
   * `openai,model=gpt-4o`. @default none
   */
  readonly judgeFor?: Readonly<Record<string, GivenJudge | readonly GivenJudge[]>>
  /** Folders with additional tasks. @default [] */
  readonly includePaths?: readonly string[]
  /** Files or packages with additional backends, metrics, filters and aggregations. @default [] */
  readonly plugins?: readonly string[]
  /** The stages to run. @default all three */
  readonly stages?: Stages
  /** Called for each event. */
  readonly onEvent?: Emit
  /** Called when the run is known, with the counts that the store already has. */
  readonly onRun?: (run: Run, isNew: boolean, counts: RunCounts) => void
  /** Abort it to stop now. Answers are kept, and the same call continues with the rest. */
  readonly signal?: AbortSignal
  /** Abort it to finish requests in flight and start no new ones. */
  readonly drain?: AbortSignal
  /** Another name of `signal`. */
  readonly stop?: AbortSignal
}

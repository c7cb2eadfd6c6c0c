/** Defines the settings, hooks and outcomes of evaluations, which the command line and the library share. */
import type { ProviderBatch } from '../../cache/batches.js'
import type { Emit } from '../../cache/events.js'
import type { RunKey } from '../../cache/digest.js'
import type { CodeKeyKind, JsonObject, Judgement, Run, RunSpec } from '../../cache/records.js'
import type { FailedItem, RunCounts } from '../../cache/store.js'
import type { TaskValue } from '../../stages/input/tasks/task-value.js'
import type { AnyBackend } from '../../stages/model/define-backend.js'
import type { Stop } from '../../stages/model/budget/budget.js'
import type { Parity } from '../../stages/judge/define/parity.js'
import type { RunStats } from '../../stages/model/stats/run-stats.js'
import type { LimitSettings } from './limits.js'
import type { SettingsOf } from './option.js'
import type { plainOptions } from './options.js'
import type { pythonOptions } from './options/subject-options.js'
import type { JudgeChoices } from './values/judge-choices.js'
import type { JudgeOverrides } from './values/judge-overrides.js'
import type { ToolSettings } from './values/tool-servers.js'

export type Environment = Readonly<Record<string, string | undefined>>

/** The store, and the folders and plugins to load. Paths are absolute or relative to the working directory. */
export interface Surroundings {
  /** `--store DIR`, `$PIPELINE_STORE`, else `./.pipeline`. */
  readonly store: string
  /** Folders of further tasks. */
  readonly includePaths: readonly string[]
  /** Files or packages with further backends and metrics. */
  readonly plugins: readonly string[]
  /** The environment variables, including those of a configuration file. They are not stored. */
  readonly env: Environment
}

/** Settings for Python code of tasks. */
export type PythonSettings = SettingsOf<typeof pythonOptions>

/** A backend that a program gives as a value. */
export interface GivenBackend {
  readonly backend: AnyBackend
  /** The git object ids of its code by path, for keys. Absent if it declares files of this program. */
  readonly closure?: Readonly<Record<string, string>>
}

/** Holds the values that a program gives where the command line has names. None of it is stored: the names are. */
export interface GivenValues {
  /** Tasks defined in code, by their names in `tasks`. */
  readonly tasks: ReadonlyMap<string, TaskValue>
  /** The backend of `model`. */
  readonly model?: GivenBackend
  /** The backend of `judgeModel`. */
  readonly judge?: GivenBackend
  /** The backends of `judgeFor`, where they are values, in the order of each list. */
  readonly judgeFor?: Readonly<Record<string, readonly (GivenBackend | undefined)[]>>
}

/** The judge models for tasks that need one. */
export interface JudgeSettings {
  readonly judgeModel?: string
  /** As `modelArgs`. */
  readonly judgeArgs?: Readonly<Record<string, unknown>>
  /** The judges of some tasks and metrics, instead of `judgeModel`. */
  readonly judgeFor?: JudgeChoices
  /** The replacements of judge models. */
  readonly judgeOverride?: JudgeOverrides
  /** The tool whose known scoring errors are reproduced. */
  readonly parity?: Parity
}

export interface EvalSettings
  extends
    SettingsOf<Omit<typeof plainOptions, 'judgeModel' | 'judgeOverride' | 'parity'>>,
    Surroundings,
    JudgeSettings,
    ToolSettings {
  readonly model: string
  /** As given: texts from the command line, which the backend's schema types; values from YAML or JSON. May hold secrets. */
  readonly modelArgs: Readonly<Record<string, unknown>>
  /** The arguments of the worker that does a job. They say where requests go, and are in no key. */
  readonly workerArgs?: Readonly<Record<string, unknown>>
  readonly tasks: readonly string[]
  /** Override the tasks' own. */
  readonly genKwargs: JsonObject
  /** True to retry permanent failures as well. */
  readonly retryFailed: boolean
  readonly newRun: boolean
  readonly fresh: boolean
  /** With `fresh`: the spec of an earlier run with fresh samples, which is continued. @default a new run */
  readonly begun?: RunSpec
  readonly codeKey: CodeKeyKind
  readonly configFile?: string
  /** The hint that replaces the general one if the model is unknown. */
  readonly modelInstead?: string
  readonly values?: GivenValues
  /** The docs to work on in a resumed run: ids and shell patterns. @default all docs */
  readonly onlyDocs?: readonly string[]
  /** `resume`: what must come out is this run; refuse where code, task or dataset made it another one. */
  readonly resume?: { readonly id: RunKey; readonly name: string; readonly repeat?: number }
}

/** Settings to score stored answers. */
export interface RejudgeSettings extends Surroundings, JudgeSettings, LimitSettings, PythonSettings {
  /** A reference to a run (`last`, `brave-otter-7f3a`) or the path of a bundle. */
  readonly run: string
  /** True if code that came with a bundle may be run. */
  readonly trustBundle: boolean
  /** The judge if neither the settings nor the run name one. */
  readonly fallbackJudge?: Pick<JudgeSettings, 'judgeModel' | 'judgeArgs'>
  readonly values?: GivenValues
}

/** Callbacks and signals of the caller of an evaluation. */
export interface Hooks {
  readonly emit: Emit
  /** Aborted to finish requests in flight and start nothing new. */
  readonly drain: AbortSignal
  /** Abort now. */
  readonly stop: AbortSignal
  /** Folders beside the dataset's own that rows of local datasets may name files in. @default any folder */
  readonly rowFolders?: readonly string[]
  /** Called once when the run is known, with its counts in the store. */
  onRun?(run: Run, isNew: boolean, counts: RunCounts): void
}

/** The stages to run. @default all three */
export interface Stages {
  readonly input?: boolean
  readonly model?: boolean
  readonly judge?: boolean
}

export interface EvalOutcome {
  readonly run: Run
  readonly isNew: boolean
  readonly counts: RunCounts
  /** With its aggregates, unless the judge did not work or was interrupted. */
  readonly judgement?: Judgement
  readonly elapsedMs: number
  /** Requests that were sent and answered now. */
  readonly asked: number
  /** Requests that were sent now and not answered in the end. */
  readonly unanswered?: number
  /** The number of items with a stored answer. */
  readonly fromStore: number
  readonly failures: readonly FailedItem[]
  /** Docs that the judge could not score (`judge_failed`, `error`): neither unparsed nor failed; and numbers that can't be aggregated. */
  readonly unjudged: number
  /** The reason why no further requests were sent, where some were left: a limit, or something to mend first. */
  readonly stopped?: Stop
  /** The reason why no further judge request was sent, if docs lack a score because of it. */
  readonly judgeStopped?: string
  /** Batches with requests of the run that are still with the provider, or on their way there. */
  readonly batches?: readonly ProviderBatch[]
  readonly changes?: JudgementChanges
  /** The measurements of the run's model over all its invocations; absent where the model did not work. */
  readonly figures?: RunStats
}

/** The changes of a judgement compared with the previous one. */
export interface JudgementChanges {
  /** Number and time of the judgement before. */
  readonly before: { readonly number: number; readonly createdAt: number }
  /** The parts that differ: `tasks/mmmu/utils.ts`, `metric_list`, `target of 3 docs`. Empty where nothing is. */
  readonly reasons: readonly string[]
  /** The number of newly scored docs. */
  readonly rescored: number
  readonly moved: readonly MetricMove[]
}

/** One metric of one task, before and after. */
export interface MetricMove {
  readonly task: string
  readonly metric: string
  readonly filter: string
  readonly before: number | null
  readonly after: number | null
  /** Docs whose value grew, and fell. */
  readonly up: number
  readonly down: number
  /** Docs that lost their value, and that have one for the first time. */
  readonly lost: number
  readonly gained: number
}

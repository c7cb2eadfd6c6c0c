/** Defines what an evaluation is asked to do and what came of it: the words between the command line and the composition. */
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

/** Names the store, and the files that are loaded beside what is built in. Paths are absolute or relative to the working directory. */
export interface Surroundings {
  /** `--store DIR`, `$PIPELINE_STORE`, else `./.pipeline`. */
  readonly store: string
  /** Folders of further tasks. */
  readonly includePaths: readonly string[]
  /** Files or packages with further backends and metrics. */
  readonly plugins: readonly string[]
  /** The variables of the environment, with those of a configuration file. They are not stored. */
  readonly env: Environment
}

/** Settings for Python code of tasks. */
export type PythonSettings = SettingsOf<typeof pythonOptions>

/** A backend that a program gives as a value. */
export interface GivenBackend {
  readonly backend: AnyBackend
  /** The git object ids by path that stand for its code in keys; absent where it declares files of this program. */
  readonly closure?: Readonly<Record<string, string>>
}

/** Holds the values that a program gives where the command line has names. None of it is stored: the names are. */
export interface GivenValues {
  /** Tasks by the names that stand for them in `tasks`. */
  readonly tasks: ReadonlyMap<string, TaskValue>
  /** The backend of `model`. */
  readonly model?: GivenBackend
  /** The backend of `judgeModel`. */
  readonly judge?: GivenBackend
  /** The backends of `judgeFor`, where they are values, in the order of each list. */
  readonly judgeFor?: Readonly<Record<string, readonly (GivenBackend | undefined)[]>>
}

/** Names the model that is asked where a task's score needs one. */
export interface JudgeSettings {
  readonly judgeModel?: string
  /** As `modelArgs`. */
  readonly judgeArgs?: Readonly<Record<string, unknown>>
  /** The judges of some tasks and metrics, instead of `judgeModel`. */
  readonly judgeFor?: JudgeChoices
  /** The judge models that are asked in place of others. */
  readonly judgeOverride?: JudgeOverrides
  /** The tool whose numbers are wanted where they differ from the right ones. */
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
  readonly tasks: readonly string[]
  /** Override the tasks' own. */
  readonly genKwargs: JsonObject
  /** Also ask again what failed in a permanent class. */
  readonly retryFailed: boolean
  readonly newRun: boolean
  readonly fresh: boolean
  /** With `fresh`: the spec of a run with fresh samples that these settings began, and that goes on. @default a new run */
  readonly begun?: RunSpec
  readonly codeKey: CodeKeyKind
  readonly configFile?: string
  /** The hint that replaces the general one where there is no such model. */
  readonly modelInstead?: string
  readonly values?: GivenValues
  /** The only docs whose requests are sent now, of a run that is resumed: ids and shell patterns. */
  readonly onlyDocs?: readonly string[]
  /** `resume`: what must come out is this run; refuse where code, task or dataset made it another one. */
  readonly resume?: { readonly id: RunKey; readonly name: string; readonly repeat?: number }
}

/** Scores for answers that are there already. */
export interface RejudgeSettings extends Surroundings, JudgeSettings, LimitSettings, PythonSettings {
  /** A reference to a run (`last`, `brave-otter-7f3a`) or the path of a bundle. */
  readonly run: string
  /** True if code that came with a bundle may be run. */
  readonly trustBundle: boolean
  /** The judge if neither the settings nor the run name one. */
  readonly fallbackJudge?: Pick<JudgeSettings, 'judgeModel' | 'judgeArgs'>
  readonly values?: GivenValues
}

/** Holds what the caller gives to an evaluation. */
export interface Hooks {
  readonly emit: Emit
  /** Finish what is in flight, start nothing new. */
  readonly drain: AbortSignal
  /** Abort now. */
  readonly stop: AbortSignal
  /** Folders beside the dataset's own that rows of local datasets may name files in. @default any folder */
  readonly rowFolders?: readonly string[]
  /** Called once, as soon as it is known which run this is, with what the store has of it already. */
  onRun?(run: Run, isNew: boolean, counts: RunCounts): void
}

/** The stages that work; all three where none is named. */
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
  /** Items whose answer was in the store already. */
  readonly fromStore: number
  readonly failures: readonly FailedItem[]
  /** Docs that the judge could not score (`judge_failed`, `error`): neither unparsed nor failed; and numbers that can't be aggregated. */
  readonly unjudged: number
  /** The reason why no further requests were sent, where some were left: a limit, or something to mend first. */
  readonly stopped?: Stop
  /** The reason why a judge model was asked nothing more, where docs have no score for it. */
  readonly judgeStopped?: string
  /** Batches with requests of the run that are still with the provider, or on their way there. */
  readonly batches?: readonly ProviderBatch[]
  readonly changes?: JudgementChanges
  /** The measurements of the run's model over all its invocations; absent where the model did not work. */
  readonly figures?: RunStats
}

/** The changes that a judgement made to the one before it. */
export interface JudgementChanges {
  /** Number and time of the judgement before. */
  readonly before: { readonly number: number; readonly createdAt: number }
  /** The parts that differ: `tasks/mmmu/utils.ts`, `metric_list`, `target of 3 docs`. Empty where nothing is. */
  readonly reasons: readonly string[]
  /** Docs scored anew. */
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
}

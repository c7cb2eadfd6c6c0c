/** Functions that plan evaluations and judge how far their numbers can be trusted. */
import { z } from 'zod'
import { present } from '../../../base/values/present.js'
import type { Run } from '../../../cache/records.js'
import { limitOptions } from '../../config/limits.js'
import { programSettings } from '../../config/option.js'
import { pythonOptions } from '../../config/options/subject-options.js'
import type { EvalSettings, RejudgeSettings } from '../../config/settings.js'
import { resumedSettings } from '../../config/stored/stored-settings.js'
import { compareReproduction, type Reproduction } from '../../preview/reproduction.js'
import { processEnvironment } from '../../config/variables.js'
import { calibrateJudge, type JudgeCalibration } from '../../reading/calibration/calibrate-judge.js'
import type { LabelRow } from '../../reading/calibration/read-label-rows.js'
import { recheckRun, type Recheck, type RecheckSettings } from '../../evaluation/recheck.js'
import { waitingBy } from '../../evaluation/with-store.js'
import { openRun } from '../../reading/runs/run-reference.js'
import { blameRuns, type Blame } from '../../rescoring/blame/blame-runs.js'
import { readRunStability, type RunStability } from '../../rescoring/run-stability.js'
import { planPower, type PowerAssumptions, type PowerPlan } from '../../reading/planning/plan-power.js'
import { planRunPower, type RunPower } from '../../reading/planning/run-power.js'
import type { EvaluateOptions } from '../options/evaluate-options.js'
import { makeHooks, refuseWhileLoading, type Following } from '../library.js'
import { withGivenStore } from '../stores.js'
import { valueSettings } from '../values/value-settings.js'
import { isRun, readRunName, requireRun, toRunList, type RunOrName } from '../options/run-or-name.js'
import { evaluateFields, taskValues } from '../options/evaluate-fields.js'
import {
  checkOptions,
  fields,
  followingFields,
  pickFields,
  storeField,
  type OptionFields,
} from '../options/check-options.js'
import { compareHints } from './comparing.js'
import { judgeFields, type JudgeOptions } from './judging.js'
import { findGivenStore, withReadStore, type StoreOption } from './runs.js'

const assumptionFields = {
  effect: fields.number,
  stdA: fields.number,
  stdB: fields.number,
  correlation: fields.number,
  stdOfDifferences: fields.number,
  docs: fields.number,
  areShares: fields.flag,
  clusterSize: fields.number,
  clusterSizes: z.array(z.number()).describe('a list of numbers').optional(),
  icc: fields.number,
  alpha: fields.number,
  power: fields.number,
} satisfies OptionFields<PowerAssumptions>

/**
 * Plans the comparison of two models on the same docs, from assumptions alone.
 *
 * @example planComparison({ effect: 0.02, docs: 1000 }).neededDocs
 * @throws PipelineError if no number of docs shows the effect
 */
export function planComparison(assumptions: PowerAssumptions = {}): PowerPlan {
  checkOptions(assumptions, assumptionFields)
  return planPower(assumptions)
}

/**
 * Plans a comparison from the scores of one stored run, or from the differences of two.
 *
 * @throws PipelineError if a run has no scores, or two runs have no common metric
 */
export async function planFromRuns(
  runs: RunOrName | readonly [RunOrName] | readonly [RunOrName, RunOrName],
  options: StoreOption & PowerAssumptions = {},
): Promise<RunPower> {
  checkOptions(options, { ...storeField, ...assumptionFields })
  const { store, ...assumptions } = options
  const [a, b] = toRunList(runs)
  requireRun(a)
  const place = store === undefined ? {} : { store }
  return withReadStore(a, place, storeA => {
    const first = { store: storeA, reference: readRunName(a) }
    if (b === undefined) return planRunPower(first, undefined, { ...assumptions, hints: compareHints })
    return withReadStore(b, place, storeB =>
      planRunPower(first, { store: storeB, reference: readRunName(b) }, { ...assumptions, hints: compareHints }),
    )
  })
}

/** Sets how the samples of a run are scored. */
export type StabilityOptions = StoreOption &
  Pick<JudgeOptions, 'tasks' | 'includePaths' | 'plugins' | 'parity'> &
  Pick<JudgeOptions, 'python' | 'allowNetwork' | 'pythonSeconds' | 'pythonMemoryMb' | 'onEvent'> & {
    /** Further runs of the same tasks in the same store, which docs are diagnosed with. */
    readonly with?: readonly RunOrName[]
  }

const scoringFields = pickFields(
  judgeFields,
  ...(['store', 'tasks', 'includePaths', 'plugins', 'parity', 'onEvent'] as const),
  ...(['python', 'allowNetwork', 'pythonSeconds', 'pythonMemoryMb'] as const),
)
const stabilityFields = {
  ...scoringFields,
  with: z.array(z.custom(isRun)).describe('a list of runs').optional(),
} satisfies OptionFields<StabilityOptions>

/**
 * Measures how far the samples of each doc agree: EA, CA, IV, CR, pass@k, pass^k and maj@k with intervals, and the docs
 * to look at. Each sample is scored alone, and no request is sent.
 *
 * @throws PipelineError if the run has one sample of each doc
 */
export async function readStability(run: RunOrName, options: StabilityOptions = {}): Promise<RunStability> {
  checkOptions(options, stabilityFields)
  const settings = await readScoringSettings(run, options)
  return withReadStore(run, options, async store => {
    const opened = await openRun(store, readRunName(run))
    const others = await Promise.all((options.with ?? []).map(other => openRun(store, readRunName(other))))
    const { emit } = makeHooks(options)
    return readRunStability(store, opened, { settings: { ...settings, store: store.location }, emit, others })
  })
}

/**
 * Splits the difference of run B from run A by model, prompt, generation parameters, targets and rules of scoring. Both are in one store, and no request is
 * sent.
 *
 * @throws PipelineError if a run is not judged, or the runs have no doc with a score in common
 */
export async function blame(a: RunOrName, b: RunOrName, options: Omit<StabilityOptions, 'with'> = {}): Promise<Blame> {
  checkOptions(options, scoringFields)
  const settings = await readScoringSettings(b, options)
  return withReadStore(b, options, async store => {
    const [first, second] = [await openRun(store, readRunName(a)), await openRun(store, readRunName(b))]
    const { emit } = makeHooks(options)
    return blameRuns(store, first, second, { settings: { ...settings, store: store.location }, emit })
  })
}

async function readScoringSettings(run: RunOrName, options: StabilityOptions): Promise<Omit<RejudgeSettings, 'store'>> {
  const { tasks = [], includePaths = [], plugins = [], parity } = options
  const { values } = await valueSettings({ tasks, model: '' })
  return {
    ...present({ parity, values }),
    ...programSettings({ ...limitOptions, ...pythonOptions }, options),
    ...{ env: processEnvironment(), run: readRunName(run), includePaths, plugins, trustBundle: false },
  }
}

/**
 * Compares the judge's values of a run with labels: kappa, alpha, the confusion table, and the share of right answers
 * by labels and judge together.
 *
 * @param options `labels`: labels in place of the stored ones
 * @throws PipelineError if the run is not scored, or has no label
 */
export async function calibrate(
  run: RunOrName,
  options: StoreOption & { readonly labels?: readonly LabelRow[] } = {},
): Promise<JudgeCalibration> {
  checkOptions(options, { ...storeField, labels: z.array(z.custom()).describe('a list of labels').optional() })
  const { labels } = options
  return withReadStore(run, options, async store =>
    calibrateJudge(store, await openRun(store, readRunName(run)), labels),
  )
}

const repeatedFields = {
  ...followingFields,
  ...pickFields(evaluateFields, 'store', 'model', 'modelArgs'),
  tasks: taskValues,
}
const recheckFields = {
  ...repeatedFields,
  count: fields.number,
  seed: fields.number,
  tolerance: fields.number,
} satisfies OptionFields<RecheckOptions>

/**
 * Returns the command line that makes a run again, and what would differ now: versions, code, data, model files,
 * settings and scoring. Nothing is sent.
 *
 * @param options `tasks`, `model`: the run's tasks and model, if they were defined in code
 */
export async function readReproduction(
  run: RunOrName,
  options: StoreOption &
    Following &
    Pick<JudgeOptions, 'tasks'> &
    Partial<Pick<EvaluateOptions, 'model' | 'modelArgs'>> = {},
): Promise<Reproduction> {
  checkOptions(options, repeatedFields)
  const { opened, store } = await withReadStore(run, options, async store => ({
    opened: await openRun(store, readRunName(run)),
    store: store.location,
  }))
  return compareReproduction(
    opened,
    await readStoredSettings(opened.run, { ...options, dir: store }),
    makeHooks(options),
  )
}

/** Options of a recheck. */
export type RecheckOptions = StoreOption &
  Following &
  RecheckSettings &
  Pick<JudgeOptions, 'tasks'> &
  Partial<Pick<EvaluateOptions, 'model' | 'modelArgs'>>

/**
 * Sends the requests of a seeded random part of a run's docs again, and decides whether the endpoint changed. The old answers stay.
 *
 * @param options `tasks`, `model`: the run's tasks and model, if they were defined in code. `modelArgs`: secrets, which are not stored
 * @throws PipelineError if the run was sampled and has no repeats
 */
export async function recheck(run: RunOrName, options: RecheckOptions = {}): Promise<Recheck> {
  refuseWhileLoading('recheck')
  checkOptions(options, recheckFields)
  const { count, seed, tolerance } = options
  const hooks = makeHooks(options)
  return withGivenStore(
    await findGivenStore(run, options),
    { access: 'change', waiting: waitingBy(hooks) },
    async store => {
      const opened = await openRun(store, readRunName(run))
      const settings = await readStoredSettings(opened.run, { ...options, dir: store.location })
      return recheckRun(store, opened.run, { settings, hooks, count, seed, tolerance })
    },
  )
}

/** Reads the settings that a run started with. The caller passes secrets, and models and tasks defined in code. */
async function readStoredSettings(
  run: Run,
  { dir, ...options }: Pick<RecheckOptions, 'tasks' | 'model' | 'modelArgs'> & { readonly dir: string },
): Promise<EvalSettings> {
  const stored = resumedSettings(run, { store: dir }, processEnvironment())
  const { model = stored.model, tasks = [] } = options
  const overrides = await valueSettings({ model, modelArgs: { ...stored.modelArgs, ...options.modelArgs }, tasks })
  return { ...stored, ...overrides, tasks: stored.tasks }
}

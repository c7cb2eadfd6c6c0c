/** Compares stored runs with each other, with a baseline, and with gates. */
import { z } from 'zod'
import { PipelineError } from '../../../base/errors/errors.js'
import type { Run } from '../../../cache/records.js'
import { compareGroups, type GroupComparison } from '../../reading/comparing/compare-groups.js'
import {
  compareRuns,
  compareSeveral,
  type RunComparison,
  type StoredReference,
} from '../../reading/comparing/compare-runs.js'
import { assessRun, readConditions, type Assessment } from '../../reading/gates/assess-run.js'
import { openRun } from '../../reading/runs/run-reference.js'
import { comparison } from '../../present/text/comparing/comparison.js'
import { plain } from '../../present/text/layout/paint.js'
import { isRun, readRunName, toRunList, type RunOrName } from '../options/run-or-name.js'
import { checkOptions, fields, storeField, type OptionFields } from '../options/check-options.js'
import { judgeHint, withReadStore, type StoreOption } from './runs.js'

/** The calls that messages of comparisons tell a program to make. */
export const compareHints = { judge: judgeHint, report: ({ name }: Run): string => `report('${name}')` }

/** Options of {@link compare}. */
export interface CompareOptions extends StoreOption {
  /** A difference that does not matter, in units of the scores: runs within it are `equivalent`. @default none */
  readonly margin?: number
}

const compareFields = { ...storeField, margin: fields.number } satisfies OptionFields<CompareOptions>

/** Compares run `b` with run `a`, doc by doc: differences with intervals, p-values, changed docs and a verdict for each metric. */
export async function compare(a: RunOrName, b: RunOrName, options: CompareOptions = {}): Promise<RunComparison> {
  checkOptions(options, compareFields)
  return withReadStore(a, options, storeA =>
    withReadStore(b, options, storeB =>
      compareRuns(
        { store: storeA, reference: readRunName(a) },
        { store: storeB, reference: readRunName(b) },
        { hints: compareHints, margin: options.margin },
      ),
    ),
  )
}

/**
 * Compares each of several runs with each run before it. The verdicts allow for the number of comparisons, so that fewer differences are
 * called real than by single calls of {@link compare}.
 */
export async function compareAll(
  runs: readonly RunOrName[],
  options: CompareOptions = {},
): Promise<readonly RunComparison[]> {
  checkOptions(options, compareFields)
  const open = (rest: readonly RunOrName[], opened: readonly StoredReference[]): Promise<readonly RunComparison[]> => {
    const [run, ...others] = rest
    if (run === undefined) return compareSeveral(opened, { hints: compareHints, margin: options.margin })
    return withReadStore(run, options, store => open(others, [...opened, { store, reference: readRunName(run) }]))
  }
  return open(toRunList(runs), [])
}

/**
 * Splits the difference between two runs among groups of docs with one value of a field, which is a breakdown of the task or a field of the row.
 *
 * @throws PipelineError if a run has no scores, or no doc has the field
 */
export async function compareBy(
  a: RunOrName,
  b: RunOrName,
  field: string,
  options: CompareOptions = {},
): Promise<GroupComparison> {
  checkOptions(options, compareFields)
  return withReadStore(a, options, storeA =>
    withReadStore(b, options, storeB =>
      compareGroups(
        { store: storeA, reference: readRunName(a) },
        { store: storeB, reference: readRunName(b) },
        { field, hints: compareHints, margin: options.margin },
      ),
    ),
  )
}

/** Formats a comparison as `pipeline compare` prints it. */
export const comparisonText = (compared: RunComparison): string =>
  comparison(compared.metrics, compared, plain, compared.notes).join('\n')

/** Options of {@link assess}. */
export interface AssessOptions extends StoreOption {
  /** The run, exported file or results JSON (also of lmms-eval and lm-evaluation-harness) to compare with. @default none */
  readonly baseline?: RunOrName | undefined
  /** Conditions such as `mmmu_val.acc >= baseline - 0.01` or `*.acc not worse`. @default none */
  readonly gates?: readonly string[]
}

const assessFields = {
  ...storeField,
  baseline: z.custom(isRun).describe('a run or its name').optional(),
  gates: fields.texts('gates'),
} satisfies OptionFields<AssessOptions>

/**
 * Compares a run's scores with a baseline and checks gates, as `--baseline` and `--gate` do.
 *
 * @throws PipelineError if the run has no scores, a gate can't be read, or there is no such baseline
 */
export async function assess(run: RunOrName, options: AssessOptions = {}): Promise<Assessment> {
  checkOptions(options, assessFields)
  const { baseline, gates } = options
  return withReadStore(run, options, async store => {
    const opened = await openRun(store, readRunName(run))
    const settings = { gate: gates, baseline: baseline === undefined ? undefined : readRunName(baseline) }
    const conditions = await readConditions(settings, work => work(store))
    const { judgement } = opened
    if (judgement?.aggregates === undefined)
      throw new PipelineError('usage', `run ${opened.run.name} is not judged yet. Score it: ${judgeHint(opened.run)}`)
    return assessRun(store, { run: opened.run, judgement }, conditions, compareHints)
  })
}

import type { EvalOutcome } from '../../../config/settings.js'
import { duration, formatCount, formatDecimal, rate } from '../../../../base/text/numbers.js'
import type { Paint } from '../layout/paint.js'
import { oneLine } from '../../../../base/text/visible-text.js'
import { metricLabel } from '../../../reading/metric-label.js'
import { formatTaskName, shownNames } from './result-table.js'
import type { HeldTargets } from '../../../reading/samples/held-target.js'
import type { LeftReasoning } from '../../../reading/samples/left-reasoning.js'
import type { SampleKind } from '../../../reading/samples/sample-kinds.js'

/** `11 s · 96.4 items/s · results in .pipeline/runs/brave-otter-7f3a` */
export function finishLine(outcome: EvalOutcome, resultsDir: string | undefined): string {
  const { elapsedMs, asked, unanswered = 0, fromStore, judgement } = outcome
  // A judge model may have been asked, which a note counts.
  const of = judgement?.aggregates?.some(({ judges }) => judges !== undefined) === true ? ' of the model' : ''
  return [
    duration(elapsedMs),
    ...(asked > 0 && elapsedMs > 0 ? [rate((asked * 1000) / elapsedMs).replace('/s', ' items/s')] : []),
    ...(asked === 0 ? [unanswered === 0 ? `0 asked${of}` : `${formatCount(unanswered)} asked, none answered`] : []),
    ...(fromStore > 0 ? [`${formatCount(fromStore)} from store`] : []),
    ...(resultsDir === undefined ? [] : [`results in ${resultsDir}`]),
  ].join(' · ')
}

/** `small/plain   mytask exact_match 0.667 · sums exact_match 1.000 · 11 s · 9 from store` */
export function cellLine(cell: string, outcome: EvalOutcome, resultsDir: string | undefined): string {
  const names = shownNames(outcome.run)
  const scores = (outcome.judgement?.aggregates ?? [])
    .filter(({ group }) => group === undefined)
    .map(aggregate => {
      const unparsed = aggregate.unparsed === 0 ? '' : ` (unparsed ${formatCount(aggregate.unparsed)})`
      return `${formatTaskName(aggregate, names)} ${metricLabel(aggregate)} ${formatDecimal(aggregate.value)}${unparsed}`
    })
  const failed = outcome.failures.length === 0 ? [] : [`failed ${formatCount(outcome.failures.length)}`]
  return `${oneLine(cell)}   ${[...scores, ...failed, finishLine(outcome, resultsDir)].join(' · ')}`
}

/** Suggested next commands, one on each line. */
export const nextLines = (hints: readonly string[], paint: Paint): string[] =>
  hints.map((hint, index) => `${index === 0 ? paint.dim('next:') : '     '}  ${hint}`)

/** The facts on which the suggestions depend. They name only what exists. */
export interface HintFacts {
  readonly run: string
  /** ` --store DIR` if a command needs it, else empty. */
  readonly storeFlag: string
  /** The kind of docs to look at first, as `report --samples` names it. */
  readonly look: SampleKind
  /** True if the store's newest two runs have the same tasks and scores. */
  readonly canCompare: boolean
  /** A command that evaluates the same model with another dtype, if there is one. */
  readonly variant?: string
}

export function hints(facts: HintFacts): string[] {
  const compare = `pipeline compare last~1 last${facts.storeFlag}`
  const second = facts.canCompare
    ? [compare]
    : facts.variant === undefined
      ? []
      : [`${facts.variant}${facts.storeFlag}    then    ${compare}`]
  return [`pipeline report ${facts.run} --samples ${facts.look}${facts.storeFlag}`, ...second]
}

/** Says that a metric compares whole answers where most wrong ones hold the target. */
export const describeHeldTargets = ({ task, wrong, held }: HeldTargets): string =>
  `${formatCount(held)} of ${formatCount(wrong)} wrong answers of ${oneLine(task)} hold the target among other words, and exact_match compares whole answers: contains, numeric_match or a filter reads a part (docs/tasks/metrics.md)`

/** Says that scored texts hold marks of reasoning that no tag removes. */
export const describeLeftReasoning = ({ task, answers, marked }: LeftReasoning): string =>
  `${formatCount(marked)} of the first ${formatCount(answers)} answers of ${oneLine(task)} hold marks of reasoning that no tag removes, so that the reasoning is scored: name them in reasoning_tags (docs/tasks/keys.md)`

import type { EvalOutcome } from '../../evaluation/settings.js'
import { duration, grouped, rate } from '../layout/numbers.js'
import type { Paint } from '../layout/paint.js'
import type { SampleKind } from '../samples/sample-kinds.js'

/** `11 s · 96.4 items/s · results in .pipeline/runs/brave-otter-7f3a` */
export function finishLine(outcome: EvalOutcome, resultsDir: string | undefined): string {
  const { elapsedMs, asked, unanswered = 0, fromStore } = outcome
  return [
    duration(elapsedMs),
    ...(asked > 0 && elapsedMs > 0 ? [rate((asked * 1000) / elapsedMs).replace('/s', ' items/s')] : []),
    ...(asked === 0 ? [unanswered === 0 ? '0 asked' : `${grouped(unanswered)} asked, none answered`] : []),
    ...(fromStore > 0 ? [`${grouped(fromStore)} from store`] : []),
    ...(resultsDir === undefined ? [] : [`results in ${resultsDir}`]),
  ].join(' · ')
}

/** What a person may want to type next, one under the other. */
export const nextLines = (hints: readonly string[], paint: Paint): string[] =>
  hints.map((hint, index) => `${index === 0 ? paint.dim('next:') : '     '}  ${hint}`)

/** What is known when the next steps are thought of. A hint names only what exists. */
export interface HintFacts {
  readonly run: string
  /** ` --store DIR` where a command needs it, else nothing. */
  readonly storeFlag: string
  /** The docs that are most worth a look, by the name that `report --samples` has for them. */
  readonly look: SampleKind
  /** Whether the newest two runs of the store asked the same tasks, and both have scores. */
  readonly canCompare: boolean
  /** A line that evaluates the same on another dtype, where there is one. */
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

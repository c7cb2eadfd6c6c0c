import type { Aggregate, Judgement } from '../../../cache/records.js'

/** The score that represents a run where only one fits. */
export interface FirstScore {
  readonly aggregate: Aggregate
  /** False if the run has scores of other tasks or groups, so that the score's task must be named. */
  readonly isOnly: boolean
}

/** Finds the first metric of the newest finished judgement. A group's metric comes first, because it summarises its tasks. */
export function firstScore(judgements: readonly Judgement[]): FirstScore | undefined {
  const finished = judgements.findLast(({ finishedAt }) => finishedAt !== undefined)
  const whole = (finished?.aggregates ?? []).filter(({ group }) => group === undefined)
  const aggregate = whole.find(({ of }) => of !== undefined) ?? whole[0]
  return aggregate && { aggregate, isOnly: whole.every(({ task }) => task === aggregate.task) }
}

import type { Aggregate, Judgement } from '../../../cache/records.js'

/** The score that stands for a run where there is room for one. */
export interface FirstScore {
  readonly aggregate: Aggregate
  /** False if the run has scores of other tasks or groups, so that the score needs the name of its own. */
  readonly isOnly: boolean
}

/**
 * Finds the first metric of the newest finished judgement: that of a group if there is one, since a group sums up its
 * tasks, else that of the first task.
 */
export function firstScore(judgements: readonly Judgement[]): FirstScore | undefined {
  const finished = judgements.findLast(({ finishedAt }) => finishedAt !== undefined)
  const whole = (finished?.aggregates ?? []).filter(({ group }) => group === undefined)
  const aggregate = whole.find(({ of }) => of !== undefined) ?? whole[0]
  return aggregate && { aggregate, isOnly: whole.every(({ task }) => task === aggregate.task) }
}

/** The judges of a metric, and how far the judges of a panel agree. */
import type { Json } from '../../base/values/canonical-json.js'
import { PipelineError } from '../../base/errors/errors.js'
import type { Aggregate } from '../../cache/records.js'
import type { CompiledMetric } from './compile/compile-scoring.js'
import { isDisputedBy, readPanelValues } from './judges/panel.js'
import { computeAlpha } from './statistics/agreement/krippendorff.js'

/** The names of the judge models of a metric; nothing if the metric names none. */
export const nameJudges = ({ judges }: Pick<CompiledMetric, 'judges'>): Pick<Aggregate, 'judges'> =>
  judges === undefined ? {} : { judges: judges.map(({ name }) => name) }

interface PanelCollector {
  /** @param details the metric's details of a doc */
  add(details: Json | undefined): void
  finish(): Pick<Aggregate, 'panel'>
}

/** Collects the values of a panel's judges for each doc. Undefined for a metric without a panel. All values stay in memory. */
export function collectPanel({ judges = [] }: Pick<CompiledMetric, 'judges'>): PanelCollector | undefined {
  if (judges.length < 2) return undefined
  const ratings = judges.map((): number[] => [])
  let [docs, disputed] = [0, 0]
  return {
    add(details) {
      const values = readPanelValues(details)
      if (values?.length !== judges.length) return
      docs += 1
      if (details !== undefined && isDisputedBy(details)) disputed += 1
      for (const [i, value] of values.entries()) ratings[i]?.push(value)
    },
    finish: () => ({ panel: { docs, disputed, alpha: findAlpha(ratings) } }),
  }
}

/** Krippendorff's alpha for numbers; null if it is undefined, as when all values are equal. */
function findAlpha(ratings: readonly (readonly number[])[]): number | null {
  try {
    return computeAlpha(ratings, 'interval')
  } catch (error) {
    if (error instanceof PipelineError) return null
    throw error
  }
}

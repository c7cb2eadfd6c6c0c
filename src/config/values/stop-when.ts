import { PipelineError } from '../../../base/errors/errors.js'
import type { StopCondition } from '../../../cache/records.js'

const halfWidth = /^(?:(\S+)\s+)?half-width\s*<\s*(\d*\.?\d+(?:e-?\d+)?)$/
const decided = /^(?:(\S+)\s+)?decided\s+vs\s+(\S+)$/
/** The pattern of a stop condition, for schemas. */
export const stopPattern = new RegExp(`${halfWidth.source}|${decided.source}`)

/** Reads a stop condition: `half-width < 0.02`, `exact_match half-width < 0.02`, `decided vs RUN`. */
export function parseStopCondition(text: string): StopCondition {
  const condition = text.trim()
  const [isWidth, widthMetric, below] = halfWidth.exec(condition) ?? []
  const [isDecided, decidedMetric, run] = decided.exec(condition) ?? []
  const metric = widthMetric ?? decidedMetric
  const metricField = metric === undefined ? {} : { metric }
  if (isWidth !== undefined && Number(below) > 0) return { ...metricField, type: 'half-width', below: Number(below) }
  if (isDecided !== undefined && run !== undefined) return { ...metricField, type: 'decided', run }
  throw new PipelineError(
    'usage',
    `--stop-when: expected "half-width < 0.02" or "decided vs RUN", each with a metric before it if you like, given "${text}"`,
  )
}

/** Writes a stop condition as it is stored and shown. */
export const formatStopCondition = (condition: StopCondition): string => {
  const metric = condition.metric === undefined ? '' : `${condition.metric} `
  return condition.type === 'decided'
    ? `${metric}decided vs ${condition.run}`
    : `${metric}half-width < ${condition.below}`
}

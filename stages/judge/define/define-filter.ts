import type { z } from 'zod'
import type { JudgeRecord } from '../../../cache/records.js'

/** A sample's text as the filters have read it so far. */
export type Reading =
  | {
      readonly type: 'read'
      readonly text: string
      /** True if a filter in Python left it in a list. A metric in Python then gets the whole list. @default false */
      readonly isListed?: boolean
    }
  | {
      readonly type: 'unparsed'
      readonly reason: string
      /** The text that the benchmark scores instead. Without it, the answer gets the metric's worst value. */
      readonly standIn?: string
    }

export const read = (text: string): Reading => ({ type: 'read', text })
export const unread = (reason: string, standIn?: string): Reading =>
  standIn === undefined ? { type: 'unparsed', reason } : { type: 'unparsed', reason, standIn }

export interface FilterDefinition<Args extends z.ZodType = z.ZodType> {
  readonly id: string
  readonly args: Args
  /** False if its time is proportional to the length of the texts, as for metrics. @default true */
  readonly needsTimeLimit?: boolean
  /** Turns the readings of a doc's samples, in order, into those for the next filter. The first reading is scored. */
  apply(readings: readonly Reading[], args: z.output<Args>, record: JudgeRecord): readonly Reading[]
}

/** Declares a filter that sees all samples of a doc at once. Each file defines one filter. */
export const defineFilter = <Args extends z.ZodType>(definition: FilterDefinition<Args>): FilterDefinition<Args> =>
  definition

/** The text that stands for an answer that a filter could not read, as later filters see it in lm-evaluation-harness. */
export const invalidText = '[invalid]'

/**
 * Declares a filter that reads each text by itself. An unparsed reading stays unparsed. Later filters read its replacement
 * text, or else `[invalid]`, as in lm-evaluation-harness: `map` turns it into its `default_value`. What is still
 * `[invalid]` after them has no replacement.
 *
 * Source: lm-evaluation-harness, `filters/extraction.py`, the argument `fallback`.
 */
export function defineTextFilter<Args extends z.ZodType>(definition: {
  readonly id: string
  readonly args: Args
  read(text: string, args: z.output<Args>, record: JudgeRecord): Reading
}): FilterDefinition<Args> {
  return {
    id: definition.id,
    args: definition.args,
    apply: (readings, args, record) =>
      readings.map(reading => {
        if (reading.type === 'read') return definition.read(reading.text, args, record)
        const next = definition.read(reading.standIn ?? invalidText, args, record)
        const text = next.type === 'read' ? next.text : next.standIn
        const isInvalid = reading.standIn === undefined && text?.toLowerCase() === invalidText
        return unread(reading.reason, isInvalid ? undefined : text)
      }),
  }
}

import type { z } from 'zod'
import type { JudgeRecord } from '../../../cache/records.js'

/** What is read out of one answer so far. */
export type Reading =
  | { readonly type: 'read'; readonly text: string }
  | {
      readonly type: 'unparsed'
      readonly reason: string
      /** What the benchmark says to score in its place. Without it the answer has the metric's worst value. */
      readonly standIn?: string
    }

export const read = (text: string): Reading => ({ type: 'read', text })
export const unread = (reason: string, standIn?: string): Reading =>
  standIn === undefined ? { type: 'unparsed', reason } : { type: 'unparsed', reason, standIn }

export interface FilterDefinition<Args extends z.ZodType = z.ZodType> {
  readonly id: string
  readonly args: Args
  /** As of a metric: false where it takes time in proportion to the texts. @default true */
  readonly needsTimeLimit?: boolean
  /** From the readings of a doc's samples, in order, to those that the next filter sees. The first one is scored. */
  apply(readings: readonly Reading[], args: z.output<Args>, record: JudgeRecord): readonly Reading[]
}

/** Declares a filter that looks at all samples of a doc at once: one file, one export. */
export const defineFilter = <Args extends z.ZodType>(definition: FilterDefinition<Args>): FilterDefinition<Args> =>
  definition

/** Declares a filter that reads each text by itself. What was unparsed stays so; its stand-in is read like a text. */
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
        if (reading.standIn === undefined) return reading
        const next = definition.read(reading.standIn, args, record)
        return unread(reading.reason, next.type === 'read' ? next.text : next.standIn)
      }),
  }
}

/** Whether requests are handed in to the provider's batch API, from flags or configuration file. */
import { z } from 'zod'
import { PipelineError } from '../../base/errors.js'
import type { JsonObject } from '../../cache/records.js'
import { present } from '../../base/present.js'

/** How requests are handed in together, where they are. */
export interface BatchSettings {
  /** Hand in what is pending to the provider's batch API, instead of asking it one by one. */
  readonly batch?: boolean
  /** The most requests of one batch; absent for what the provider takes. */
  readonly batchRequests?: number
  /** The longest time between two looks at a batch. Seconds. */
  readonly poll?: number
  /** Whether to wait until all batches are through. */
  readonly wait?: boolean
}

/** The flags have the names of the settings. */
export type BatchFlags = BatchSettings

/** Reads `--poll`. */
export function secondsIn(text: string): number {
  const value = Number(text)
  if (/^\d*\.?\d+$/.test(text) && value > 0) return value
  throw new PipelineError('usage', `--poll: expected seconds, more than 0, given "${text}"`)
}

/** What may stand in a configuration file. Descriptions go into errors. */
export const batchKeys = {
  batch: z.boolean().describe('true or false').optional(),
  batch_requests: z.int().positive().describe('a whole number, 1 or more').optional(),
  poll: z.number().positive().describe('seconds, more than 0').optional(),
  wait: z.boolean().describe('true or false').optional(),
}

type BatchConfig = { readonly [Key in keyof typeof batchKeys]?: z.output<(typeof batchKeys)[Key]> }

export function batchSettings(flags: BatchFlags, config: BatchConfig): BatchSettings {
  return present({
    batch: flags.batch ?? config.batch,
    batchRequests: flags.batchRequests ?? config.batch_requests,
    poll: flags.poll ?? config.poll,
    wait: flags.wait ?? config.wait,
  })
}

/** What is kept with a run: `resume` hands in what is left as its line did. Whether that one waited is its own. */
export const writtenBatches = ({ batch, batchRequests }: BatchSettings): JsonObject => ({
  ...(batch === true ? { batch } : {}),
  ...(batch === true && batchRequests !== undefined ? { batch_requests: batchRequests } : {}),
})

import { z } from 'zod'
import { dispatchOrders } from '../../../stages/model/schedule/loop/dispatch-order.js'
import { hedgeIn, hedgeInProgram, hedgeValue, settledHedge, writtenHedge, type HedgeFlag } from '../values/hedge.js'
import { option, type StoredContext, type SettingsOf } from '../option.js'
import { seconds, whole, wholeNumber, word, yesNo } from '../values/option-values.js'

const concurrencyExpected = 'a whole number, 1 or more, or "adaptive"'

/** Options that control how requests are sent. `resume` also has them. */
export const sendingOptions = {
  /** Number of requests in flight, or `adaptive`: as many as the server can handle. @default the model arguments' or the backend's */
  concurrency: option({
    flag: '--concurrency <n>',
    help: 'requests in flight at once, or "adaptive": as many as the server can handle',
    docs: 'requests in flight at once, or `adaptive`: [as many as the server can handle](../models/concurrency.md)',
    read: (value: string): number | 'adaptive' =>
      value === 'adaptive' ? value : wholeNumber('--concurrency', { min: 1, expected: concurrencyExpected })(value),
    file: z.union([z.int().positive(), z.literal('adaptive')]).describe(concurrencyExpected),
    isIdentity: false,
    stored: 'given',
  }),
  /** Upper limit for adaptive concurrency. @default 256 */
  maxConcurrency: option({
    flag: '--max-concurrency <n>',
    help: 'upper limit for adaptive concurrency (256)',
    ...whole(1),
    isIdentity: false,
    stored: 'given',
  }),
  /** The grouping of requests in dispatch order: by the same media and beginning, by similar length, or none. */
  order: option({
    flag: '--order <kind>',
    help: 'the order in which requests are sent: "media" (the same media, then the same beginning; default), "length" (similar length), or "none" (of the docs)',
    docs: 'the order in which pending requests are sent: `media` (the same media, then the same beginning, then similar length; default), `length`, `none`',
    ...word(dispatchOrders),
    isIdentity: false,
    stored: 'given',
  }),
  /**
   * Send a second copy of a request that takes longer than a percentile of the latencies (`p95`, or `true`), or than a time (`30s`), and
   * take the first answer. @default false
   */
  hedge: option({
    flag: '--hedge [when]',
    help: 'send a second copy of a request that takes longer than a percentile of the latencies (p95, default) or than a time (30s), and take the first answer',
    docs: 'send a second copy of a request that takes longer than a percentile of the latencies (`p95`, default) or than a time (`30s`), and take the first answer; see [hedging](../models/concurrency.md#hedging)',
    off: { flag: '--no-hedge', help: 'send no second copies, even if the run was started with --hedge' },
    read: hedgeIn,
    file: hedgeValue,
    program: {
      schema: hedgeInProgram,
      read: (value: boolean | string) => settledHedge(typeof value === 'string' ? hedgeIn(value) : value),
    },
    settle: (value: HedgeFlag) => settledHedge(value),
    isIdentity: false,
    stored: writtenHedge,
  }),
  /** Also retry requests that failed permanently. @default false */
  retryFailed: option({
    flag: '--retry-failed',
    help: 'also retry requests that failed permanently (invalid_request, refused, media)',
    ...yesNo,
    isIdentity: false,
    stored: 'no',
  }),
}

/** Batch options are stored, so that `resume` submits the rest in the same way. Whether a command waits is not stored. */
export const batchOptions = {
  /** Submit requests to the provider's batch API, which answers within a day at half the price. @default false */
  batch: option({
    flag: '--batch',
    help: "submit requests to the provider's batch API: cheaper, answered within a day",
    docs: "submit requests to the provider's batch API: cheaper, answered within a day; see [batches](../models/batches.md)",
    off: { flag: '--no-batch', help: 'send requests one by one that were not submitted yet' },
    ...yesNo,
    isIdentity: false,
    stored: 'unless-default',
  }),
  /** Maximum number of requests in a batch. @default the provider's maximum */
  batchRequests: option({
    flag: '--batch-requests <n>',
    help: 'maximum number of requests in a batch',
    ...whole(1),
    isIdentity: false,
    stored: (number: number, { settings }: StoredContext) => (settings['batch'] === true ? number : undefined),
  }),
  /** Longest time between two checks of a batch, in seconds. @default 60 */
  poll: option({
    flag: '--poll <seconds>',
    help: 'check batches at least this often (60)',
    ...seconds,
    isIdentity: false,
    stored: 'no',
  }),
  /** Wait until all batches are complete; else the next call collects the answers of `batches`. @default true */
  wait: option({
    flag: '--wait',
    help: 'wait until all batches are complete (default)',
    off: {
      flag: '--no-wait',
      help: 'submit, collect complete batches, and end with exit code 2; resume collects the rest',
    },
    ...yesNo,
    isIdentity: false,
    stored: 'no',
  }),
}

export type BatchSettings = SettingsOf<typeof batchOptions>

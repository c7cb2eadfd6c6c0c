import type { RunKey } from '../../cache/digest.js'
import type { ResponseMeta } from '../../cache/records.js'
import { runMark } from '../../stages/model/stats/stats-collector.js'

/** A run that was created at time 0. */
export const timedRun = { id: `sha256:${'ab'.repeat(32)}` as RunKey, createdAt: 0 }

/** The metadata of an answer to a request of this run. It was sent at `from` and arrived at `to`, in milliseconds. */
export const answerMeta = (from: number, to: number, more: Partial<ResponseMeta> = {}): ResponseMeta => ({
  durationMs: to - from,
  attempts: 1,
  answeredAt: to,
  run: runMark(timedRun.id),
  ...more,
})

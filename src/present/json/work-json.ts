import type { JsonObject } from '../../../cache/records.js'
import type { QueueFacts, WorkerFacts } from '../../reading/workers/work-facts.js'

/** A process that works on runs or jobs, for programs and pages. */
export const workerJson = ({ host, pid, items, answers, perSecond, silentMs, isStale }: WorkerFacts) => ({
  ...{ host, pid, requests: items, answers, answers_per_second: Math.round(perSecond * 100) / 100 },
  ...{ silent_seconds: Math.round(silentMs / 1000), stale: isStale },
})

/** The jobs that wait, for programs and pages. */
export const queueJson = ({ jobs, oldestMs, byStage, declined }: QueueFacts) => ({
  jobs,
  oldest_seconds: oldestMs === undefined ? null : Math.round(oldestMs / 1000),
  by_next_stage: byStage satisfies JsonObject,
  declined: declined.map(({ id, why }) => ({ job: id, why })),
})

import type { Job, JobStage } from '../../../cache/store.js'

/** Names the worker that can do a stage. */
export const describeWorker = (stage: JobStage): string => `a worker with the ${stage} stage`

/**
 * Describes the worker for which a job waits, where other workers did the stages before.
 *
 * @returns undefined for a job that runs or has ended, and for one that no worker took yet
 */
export const describeAwaitedWorker = ({ status, nextStage }: Job): string | undefined =>
  status === 'queued' && nextStage !== undefined ? describeWorker(nextStage) : undefined

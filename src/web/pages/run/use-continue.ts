/** Submits the job that continues a run, and follows it. */
import { useEffect, useState } from 'preact/hooks'
import { continueRun, findJob, type Job } from '../../data/service.js'

/** The state of the button that continues a run. */
export interface Continuing {
  /** The submitted job in its last known state. */
  readonly job?: Job
  /** The reason why it could not be submitted. */
  readonly problem?: string
  readonly isSubmitting: boolean
  readonly start: () => void
}

interface ContinuingState extends Omit<Continuing, 'start'> {
  readonly name: string
}

const askAgainMs = 1000

export const isOpen = (job: Job | undefined): boolean => job?.status === 'queued' || job?.status === 'running'

/** @param ended is called when the job has ended: a job of a moment leaves no other sign. */
export function useContinue(name: string, ended: () => void): Continuing {
  const [state, setState] = useState<ContinuingState>({ name, isSubmitting: false })
  const current = state.name === name ? state : { name, isSubmitting: false }
  const { job } = current
  useEffect(() => {
    if (job === undefined || !isOpen(job)) return undefined
    const timer = setTimeout(() => {
      findJob(job.job_id).then(
        fetchedJob => {
          setState({ name, isSubmitting: false, job: fetchedJob })
          if (!isOpen(fetchedJob)) ended()
        },
        // The server may be busy, so the request is retried.
        () => setState({ name, isSubmitting: false, job: { ...job } }),
      )
    }, askAgainMs)
    return () => clearTimeout(timer)
  }, [job])
  const start = (): void => {
    setState({ name, isSubmitting: true })
    continueRun(name)
      .then(({ job_id: id }) => findJob(id))
      .then(
        fetchedJob => {
          setState({ name, isSubmitting: false, job: fetchedJob })
          if (!isOpen(fetchedJob)) ended()
        },
        (error: unknown) =>
          setState({ name, isSubmitting: false, problem: error instanceof Error ? error.message : String(error) }),
      )
  }
  return { ...current, start }
}

/** Requests of pages to the server beside the data of runs: tasks, models, jobs and the form for new runs. */
import type {
  ModelRow,
  ModelView,
  NewRunForm,
  NewRunPlan,
  TaskRow,
  TaskView,
  WorkView,
} from '../../present/page/data/index.js'
import { getJson, postJson } from './http-source.js'

/** A job of the service, as far as pages show it. */
export interface Job {
  readonly job_id: string
  readonly status: 'queued' | 'running' | 'completed' | 'failed' | 'cancelled'
  readonly created_at: string
  readonly started_at: string | null
  readonly completed_at: string | null
  readonly request: Readonly<Record<string, unknown>>
  readonly error: string | null
  readonly position_in_queue: number | null
  readonly run: string | null
  readonly waiting_for: string | null
  readonly declined_because: readonly string[]
  readonly cancelling: boolean
}

/** Loads the rows of the page of tasks. */
export const listTasks = (): Promise<readonly TaskRow[]> => getJson('tasks')
/** Loads the page of one task. */
export const findTask = (name: string): Promise<TaskView> => getJson(`tasks/${encodeURIComponent(name)}`)
/** Loads the rows of the page of models. */
export const listModels = (): Promise<readonly ModelRow[]> => getJson('models')
/** Loads the page of one backend. */
export const findModel = (id: string): Promise<ModelView> => getJson(`models/${encodeURIComponent(id)}`)

/** @param from the run that provides the initial settings */
export const newRunForm = (from: string | undefined): Promise<NewRunForm> => getJson('new-run', { from })
/** Asks the server for the plan of a run with these settings; nothing is started. */
export const planNewRun = (config: unknown, signal: AbortSignal): Promise<NewRunPlan> =>
  postJson('/view/new-run', { config }, { signal })

/** Loads the jobs in one state, or all of them. */
export const listJobs = (status: string | undefined): Promise<{ readonly jobs: readonly Job[] }> =>
  getJson('../jobs', { status, limit: 200 })
/** Loads the processes that work on the store, and its queue. */
export const loadWork = (): Promise<WorkView> => getJson('work')
/** Submits a job, and returns its id. */
export const startJob = (request: unknown): Promise<{ readonly job_id: string }> => postJson('/evaluate', request)
/** Submits a job that continues an unfinished run. */
export const continueRun = (run: string): Promise<{ readonly job_id: string }> =>
  postJson(`/view/runs/${encodeURIComponent(run)}/continue`, {})
/** Loads one job. */
export const findJob = (id: string): Promise<Job> => getJson(`../jobs/${id}`)
/** Cancels a job. */
export const cancelJob = (id: string): Promise<unknown> => postJson(`/jobs/${id}`, undefined, { method: 'DELETE' })

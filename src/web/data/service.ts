/** What pages ask of the server beside the data of runs: tasks, models, jobs and the form for new runs. */
import type { ModelRow, ModelView, NewRunForm, NewRunPlan, TaskRow, TaskView } from '../../views/page-data/index.js'
import { getJson, postJson } from './http-source.js'

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
  readonly cancelling: boolean
}

export const listTasks = (): Promise<readonly TaskRow[]> => getJson('tasks')
export const findTask = (name: string): Promise<TaskView> => getJson(`tasks/${encodeURIComponent(name)}`)
export const listModels = (): Promise<readonly ModelRow[]> => getJson('models')
export const findModel = (id: string): Promise<ModelView> => getJson(`models/${encodeURIComponent(id)}`)

/** @param from the run whose settings the form starts with */
export const newRunForm = (from: string | undefined): Promise<NewRunForm> => getJson('new-run', { from })
export const planNewRun = (config: unknown, signal: AbortSignal): Promise<NewRunPlan> =>
  postJson('/view/new-run', { config }, { signal })

export const listJobs = (
  status: string | undefined,
): Promise<{ readonly jobs: readonly Job[]; readonly next: string | null }> =>
  getJson('../jobs', { status, limit: 200 })
export const startJob = (request: unknown): Promise<{ readonly job_id: string }> => postJson('/evaluate', request)
export const cancelJob = (id: string): Promise<unknown> => postJson(`/jobs/${id}`, undefined, { method: 'DELETE' })

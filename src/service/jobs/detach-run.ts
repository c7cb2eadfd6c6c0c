/** Hands the work of a run to workers. It submits one job for each worker. */
import { randomUUID } from 'node:crypto'
import { dirname } from 'node:path'
import { PipelineError } from '../../../base/errors/errors.js'
import { isFileSync } from '../../../base/files/path-kinds.js'
import { without } from '../../../base/values/without.js'
import type { JsonObject, Run, StoredConfig } from '../../../cache/records.js'
import type { Job, Store } from '../../../cache/store.js'
import { formatFileKey } from '../../config/option.js'
import type { EvalSettings } from '../../config/settings.js'
import { isTaskPath } from '../../config/stored/stored-paths.js'
import { checkJob } from '../policy/check-job.js'
import type { Surroundings } from '../policy/job-policy.js'
import { formatGroup } from './job-service.js'

/** A run that workers are to do. */
export interface DetachedRun {
  readonly run: Run
  /** The settings as keys of a configuration file, without secrets. */
  readonly config: StoredConfig
  /** Options that are not stored with the run, and that workers need. See {@link keysOfLine}. */
  readonly keys: JsonObject
  /** The number of workers that may work on the run at the same time. */
  readonly workers: number
}

/** The jobs of a run, and the names that a worker must allow for them. */
export interface SubmittedRun {
  readonly jobs: readonly Job[]
  /** Folders with tasks, plugins and models. */
  readonly dirs: readonly string[]
  /** Origins of the addresses. */
  readonly urls: readonly string[]
}

/** Converts options that are not stored with a run, but matter to workers, to keys of a job. */
export function keysOfLine(settings: EvalSettings, { isPredictOnly }: { readonly isPredictOnly: boolean }): JsonObject {
  const { maxRequests, maxTokensTotal, maxCost, maxTime, failFast, poll, wait } = settings
  const options = { maxRequests, maxTokensTotal, maxCost, failFast, poll, wait }
  return {
    ...Object.fromEntries(
      Object.entries(options).flatMap(([name, value]) => (value === undefined ? [] : [[formatFileKey(name), value]])),
    ),
    ...(maxTime !== undefined && { max_time: `${maxTime / 1000}s` }),
    ...(settings.retryFailed && { retry_failed: true }),
    ...(isPredictOnly && { predict_only: true }),
  }
}

/**
 * Submits jobs until the run has as many as workers may share it. Open jobs of the run count.
 *
 * @throws PipelineError (usage) if the settings have something that no policy allows in a job
 */
export async function detachRun(
  store: Store,
  { run, config, keys, workers }: DetachedRun,
  surroundings: Surroundings,
): Promise<SubmittedRun> {
  const request = { ...without(config, 'cwd'), ...keys }
  const urls = [...new Set(textsIn(request).flatMap(readOrigin))]
  const policy = { allowDirs: ['/'], allowUrls: urls, secrets: new Map<string, never>(), allowCommands: true }
  const checked = await checkJob(request, policy, surroundings)
  if (!checked.isAllowed) throw new PipelineError('usage', checked.problems)
  const open = await findOpenJobs(store, run)
  const jobs: Job[] = open.slice(0, workers)
  while (jobs.length < workers) {
    const { job } = await store.jobs.submit({
      id: randomUUID(),
      // The settings were converted from JSON.
      request: { ...(checked.request as JsonObject), resume: run.id },
      group: formatGroup(checked.request),
    })
    jobs.push(job)
  }
  return { jobs, dirs: foldersIn(checked.request), urls }
}

/** Jobs are listed page by page. */
const pageSize = 200

async function findOpenJobs({ jobs }: Store, { id }: Run): Promise<readonly Job[]> {
  const openJobs: Job[] = []
  for (const status of ['running', 'queued'] as const) {
    let after: string | undefined
    for (;;) {
      const page = await jobs.list({ status, limit: pageSize, ...(after !== undefined && { after }) })
      openJobs.push(...page.filter(job => job.run === id || job.request['resume'] === id))
      if (page.length < pageSize) break
      after = page.at(-1)?.id
    }
  }
  return openJobs
}

function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value]
  return value !== null && typeof value === 'object' ? Object.values(value).flatMap(textsIn) : []
}

function readOrigin(text: string): readonly string[] {
  const url = /^https?:\/\//i.test(text) && URL.canParse(text) ? new URL(text) : undefined
  return url === undefined ? [] : [url.origin]
}

const folderKeys: ReadonlySet<string> = new Set(['include_path', 'plugin', 'tasks'])

/** Lists the folders of a checked job's paths. Folders inside a listed folder are left out. */
function foldersIn(request: Readonly<Record<string, unknown>>): readonly string[] {
  const paths = Object.entries(request).flatMap(([key, value]) =>
    folderKeys.has(key) ? textsIn(value).filter(text => key !== 'tasks' || isTaskPath(text)) : [],
  )
  const folders = [
    ...new Set(paths.map(path => path.replace(/#.*$/, '')).map(path => (isFileSync(path) ? dirname(path) : path))),
  ]
  return folders.filter(folder => !folders.some(other => other !== folder && folder.startsWith(`${other}/`)))
}

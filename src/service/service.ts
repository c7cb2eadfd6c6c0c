/** The context that all parts of the service share. */
import type { PortableStore } from '../../cache/bundle/portable.js'
import type { Store } from '../../cache/store.js'
import type { PythonSettings } from '../config/settings.js'
import type { Catalogue } from './catalogue.js'
import type { ChangeFeed } from './change-feed.js'
import type { StoreProbe } from './health.js'
import type { JobSeconds } from './jobs/job-seconds.js'
import type { ModelUsage } from './jobs/model-usage.js'
import type { WorkersState } from './jobs/worker-pool.js'
import type { JobPolicy } from './policy/job-policy.js'
import type { Viewer } from './viewer/viewer.js'

/** Options of the server that requests are checked against. */
export interface ServiceSettings {
  /** Accepted `Host` names, such as `127.0.0.1` and `localhost`, with or without a port. */
  readonly hosts: readonly string[]
  /** Origins of web pages that may use the service, beside its own. */
  readonly origins: readonly string[]
  /** True if each request needs a token. */
  readonly needsToken: boolean
  /** Maximum size of a request's body, in bytes. */
  readonly maxBodyBytes: number
  /** Requests per second of one client, and how many may come at once. */
  readonly rate: { readonly perSecond: number; readonly burst: number }
  /** Maximum number of jobs that wait. */
  readonly maxQueue: number
  /** Number of final jobs that are kept. */
  readonly keepJobs: number
  /** Folders of tasks and plugins that all jobs have. */
  readonly includePaths: readonly string[]
  readonly plugins: readonly string[]
  /** The settings of Python code of tasks. */
  readonly python?: PythonSettings
}

/** A running service. */
export interface Service {
  readonly store: Store & PortableStore
  readonly settings: ServiceSettings
  readonly changes: ChangeFeed
  readonly catalogue: Catalogue
  readonly env: Readonly<Record<string, string | undefined>>
  /** The policy for the names in jobs. */
  readonly policy: JobPolicy
  /** The viewer; absent for clients that have no browser. */
  readonly viewer?: Viewer
  /** Is called when a job was submitted or cancelled. */
  readonly onJob: () => void
  /** The workers of this server. */
  readonly workers: () => WorkersState
  readonly probe: StoreProbe
  /** Durations of jobs in workers of this server. */
  readonly jobSeconds: JobSeconds
  readonly modelUsage: ModelUsage
  /** Writes a line of the log. */
  readonly log: (line: string) => void
}

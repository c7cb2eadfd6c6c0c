/** Defines what a submitted job may name. The flags of the service list what is allowed. Everything else is forbidden. */
import { visibleText } from '../../../base/text/visible-text.js'

/** The folders, addresses and secrets that jobs may name. */
export interface JobPolicy {
  /** `--allow-dir`: absolute real paths of folders. A job may name the folders and their content. */
  readonly allowDirs: readonly string[]
  /** `--allow-url`: origins, or origins with the beginning of a path, that models, judges, tool servers and webhooks may have. */
  readonly allowUrls: readonly string[]
  /** `--secret NAME=VARIABLE`: secrets that a job names as `secret:NAME`. */
  readonly secrets: ReadonlyMap<string, JobSecret>
  /** `--allow-commands`: whether a job may have programs started, as serving engines and tool servers. */
  readonly allowCommands: boolean
}

/** The value of a secret that jobs may name. */
export interface JobSecret {
  readonly value: string
}

/** The process that runs jobs. */
export interface Surroundings {
  /** The folder of relative paths. */
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
  /** The model arguments of a worker, which say where the requests of each job go. The policy does not apply to them. @default none */
  readonly workerArgs?: Readonly<Record<string, unknown>>
}

const longestShown = 120

/** A value from a client as a message may show it: on one line, without control characters, cut where it is long. */
export function formatClientValue(value: unknown): string {
  const text = visibleText(JSON.stringify(value))
  return text.length > longestShown ? `${text.slice(0, longestShown)}…` : text
}

/** Arguments of a model, checked. */
export interface CheckedArguments {
  readonly problems: readonly string[]
  /** The arguments with absolute paths. */
  readonly args: Readonly<Record<string, unknown>>
}

/** A job, checked in part. */
export interface CheckedJob {
  readonly problems: readonly string[]
  /** The job with absolute paths. */
  readonly job: Readonly<Record<string, unknown>>
}

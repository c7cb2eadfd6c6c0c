/** Defines runs and the specs that identify them. */
import type { CodeKey, FileIdentity, RunKey, TaskKey } from '../digest.js'
import type { ModelIdentity, RequestType } from './request.js'
import type { RunSelection, StoredConfig, StoredFunctions, StoredScoring } from './stored-task.js'

/** Identifies the docs of a task, so that a changed dataset is noticed. */
export interface DatasetIdentity {
  readonly path: string
  /** The configuration of a repository that has several. */
  readonly config?: string
  readonly split?: string
  /** The commit of a Hub repository. It identifies all files of the repository, so `files` is then empty. */
  readonly revision?: string
  readonly files: { readonly [path: string]: FileIdentity }
}

/** A task as the run spec names it. */
export interface RunTask {
  readonly name: string
  readonly identity: TaskKey
  readonly dataset: DatasetIdentity
}

/** A group as the run spec names it: its members (tasks or groups) and the aggregation of their scores. */
export interface RunGroup {
  readonly name: string
  /** The group's name in tables. */
  readonly alias?: string
  readonly members: readonly string[]
  readonly rules: readonly {
    readonly metric: string
    /** `mean`, or `!function utils.name`. */
    readonly aggregation: string
    readonly weightBySize: boolean
    /** The names of filter pipelines. Absent for all. */
    readonly filters?: readonly string[]
  }[]
  readonly version?: number | string
  /** Git object ids of the code of the group's functions. */
  readonly closure?: { readonly [path: string]: string }
}

/** The complete description of a run. Its digest is the run's id, so the same command continues the same run. */
export interface RunSpec {
  readonly tasks: readonly RunTask[]
  /** The groups that were named, each outer group before its inner ones. */
  readonly groups?: readonly RunGroup[]
  readonly model: ModelIdentity
  readonly code: CodeKey
  /** Code keys of request types that do not use the code in `code`. */
  readonly codes?: { readonly [type in RequestType]?: CodeKey }
  readonly selection: RunSelection
  /** Set for a run that holds the requests to a judge model: the run that is judged. */
  readonly judge?: { readonly of: RunKey }
  /** Set for a run that holds the rounds of conversations: the run that they belong to. */
  readonly rounds?: { readonly of: RunKey }
  /** The number that `--new-run` counts from 1. Absent for the first run. */
  readonly repeat?: number
  /** Digest of the media files that were edited under the same names since an earlier run with the same spec. */
  readonly media?: string
}

/** Stored with a run for people and later commands. It is not part of the run's identity. */
export interface RunProvenance {
  readonly version: string
  readonly commit?: string
  readonly dirty?: boolean
  readonly node: string
  /** The configuration that starts the same run again (`resume`), without secrets. */
  readonly config: StoredConfig
  /** By task: what the judge needs if the task's folder is missing. */
  readonly scoring: { readonly [task: string]: StoredScoring }
  /** By task: its name in tables, if it differs. */
  readonly aliases?: { readonly [task: string]: string }
  /** By task: the number of docs that a run with a stop condition could ask. */
  readonly population?: { readonly [task: string]: number }
  /** By group: the code of its functions. */
  readonly groups?: { readonly [group: string]: StoredFunctions }
}

/** A stored run: its id, its name and its run spec. */
export interface Run {
  /** The run's number in this store. It has no meaning elsewhere. */
  readonly ref: number
  readonly id: RunKey
  /** A name of three parts that is easy to say: `brave-otter-7f3a`. */
  readonly name: string
  readonly asked: RunSpec
  readonly provenance: RunProvenance
  readonly createdAt: number
}

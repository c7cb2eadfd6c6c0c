/** What was asked for, and the run that stands for it. */
import type { CodeKey, FileIdentity, RunKey, TaskKey } from '../digest.js'
import type { ModelIdentity, RequestType } from './request.js'
import type { RunSelection, StoredConfig, StoredFunctions, StoredScoring } from './stored-task.js'

/** How the docs of a task are told apart from those of the same file tomorrow. */
export interface DatasetIdentity {
  readonly path: string
  /** Of a repository that has several. */
  readonly config?: string
  readonly split?: string
  /** The commit of a Hub repository; it stands for all its files, of which none is then named. */
  readonly revision?: string
  readonly files: { readonly [path: string]: FileIdentity }
}

/** A task as it was asked for. */
export interface RunTask {
  readonly name: string
  readonly identity: TaskKey
  readonly dataset: DatasetIdentity
}

/** A group as it was asked for: its members, tasks or groups in it, and what is made of their scores. */
export interface RunGroup {
  readonly name: string
  /** What it is called in tables. */
  readonly alias?: string
  readonly members: readonly string[]
  readonly rules: readonly {
    readonly metric: string
    /** `mean`, or `!function utils.name`. */
    readonly aggregation: string
    readonly weightBySize: boolean
    /** Names of filter pipelines; all where it is absent. */
    readonly filters?: readonly string[]
  }[]
  readonly version?: number | string
  /** Git object ids of the code of its functions, where it has any. */
  readonly closure?: { readonly [path: string]: string }
}

/** What was asked. Its digest is the run's id: the same line is the same run. */
export interface RunSpec {
  readonly tasks: readonly RunTask[]
  /** The groups that were named, an outer one before its inner ones. */
  readonly groups?: readonly RunGroup[]
  readonly model: ModelIdentity
  readonly code: CodeKey
  /** Where a type of request is answered by other code. */
  readonly codes?: { readonly [type in RequestType]?: CodeKey }
  readonly selection: RunSelection
  /** The run whose judge model was asked what this one holds. */
  readonly judge?: { readonly of: RunKey }
  /** Of a run that holds the rounds of another one's conversations: which. */
  readonly rounds?: { readonly of: RunKey }
  /** `--new-run` counts from 1; the first run has none. */
  readonly repeat?: number
  /** Digest of the media files that were edited, under their names, since an earlier run of the same. */
  readonly media?: string
}

/** Kept with a run for people and for later commands; no part of its identity. */
export interface RunProvenance {
  readonly version: string
  readonly commit?: string
  readonly dirty?: boolean
  readonly node: string
  /** The configuration that starts the same run again (`resume`), without secrets. */
  readonly config: StoredConfig
  /** Per task: what the judge needs where the task's folder is not at hand. */
  readonly scoring: { readonly [task: string]: StoredScoring }
  /** Per task that has another name for tables: that name. */
  readonly aliases?: { readonly [task: string]: string }
  /** Per group with functions of its own: their code. */
  readonly groups?: { readonly [group: string]: StoredFunctions }
}

export interface Run {
  /** The store's own number; means nothing elsewhere. */
  readonly ref: number
  readonly id: RunKey
  /** Three parts, easy to say: `brave-otter-7f3a`. */
  readonly name: string
  readonly asked: RunSpec
  readonly provenance: RunProvenance
  readonly createdAt: number
}

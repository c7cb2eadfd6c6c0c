/** The data of the pages of tasks and models. */

/** A name that `--tasks` takes. */
interface TaskName {
  readonly name: string
  readonly kind: 'task' | 'group' | 'tag'
}

/** A row of the list of tasks, groups and tags. The facts of a task are absent if it is written in code. */
export interface TaskRow extends TaskName {
  /** The folder of the benchmark that it belongs to. Absent for a file that is in no folder of its own. */
  readonly benchmark?: string
  /** The number of members of a group or tag. */
  readonly members?: number
  /** `null` if no run has read all docs yet. */
  readonly docs?: number | null
  readonly modality?: string
  readonly metrics?: readonly string[]
  /** The dataset and its configuration. */
  readonly source?: string
}

export interface TaskView extends TaskName {
  /** The names of a group's or tag's members. */
  readonly members?: readonly string[]
  /** The comment at the top of the task's file. */
  readonly about?: string
  /** The task's settings by name, as on the page of `pipeline tasks show`. */
  readonly facts?: readonly (readonly [name: string, text: string])[]
  /** The prompt of the first doc, or the reason why it cannot be shown. */
  readonly example?: { readonly prompt: string; readonly target: string; readonly note?: string } | string
  /** The resolved keys of its YAML. */
  readonly yaml?: string
}

/** A row of the list of backends. */
export interface ModelRow {
  readonly id: string
  readonly aliases: readonly string[]
  readonly summary: string
  readonly origin: string
}

export interface ModelView extends ModelRow {
  readonly accepts: readonly string[]
  readonly requests: readonly string[]
  readonly args: readonly ModelArgument[]
}

/** An argument of a backend. */
export interface ModelArgument {
  readonly name: string
  readonly type: string
  /** The default as JSON. Absent if there is none. */
  readonly default?: string
  readonly isRequired: boolean
  /** The effect of a changed value: `output` asks everything again. */
  readonly effect: 'output' | 'transport'
  readonly description: string
}

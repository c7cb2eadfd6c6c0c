/** Data of the form that starts a run. Its fields are the options of the command line. */
import type { Json } from '../../../../base/values/canonical-json.js'
import type { JsonObject } from '../../../../cache/records.js'

/** One field of the form. */
export interface FormField {
  /** The option's name in a configuration file. */
  readonly name: string
  readonly flag: string
  readonly group: string
  readonly help: string
  readonly kind: 'text' | 'number' | 'switch' | 'choice' | 'json' | 'list'
  readonly choices?: readonly string[]
  readonly fallback?: Json
}

export interface NewRunForm {
  readonly fields: readonly FormField[]
  readonly models: readonly {
    readonly id: string
    readonly summary: string
    /** Arguments of the backend: fields of `model_args`. */
    readonly args: readonly FormField[]
  }[]
  /** The configuration that the form starts with: of a run that is to be changed, or empty. */
  readonly config: JsonObject
}

/** The plan that follows from the form's values. */
export interface NewRunPlan {
  readonly yaml: string
  readonly command: string
  /** The reasons why it cannot start, by field; `''` for what concerns no single field. */
  readonly problems: readonly { readonly field: string; readonly message: string }[]
  /** The body for `POST /evaluate`. */
  readonly job: JsonObject
}

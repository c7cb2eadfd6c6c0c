import type { Run } from '../../../cache/records.js'

/** The words that a person gave to a run when it was made. */
export interface RunAbout {
  /** The name of `--name`. */
  readonly title?: string
  /** The remark of `--note`. */
  readonly note?: string
}

/** Reads the name and the note that a person gave to a run. */
export function readRunAbout({ provenance: { config } }: Pick<Run, 'provenance'>): RunAbout {
  const { name, note } = config
  return { ...(isFilled(name) && { title: name }), ...(isFilled(note) && { note }) }
}

/** Reads the name that a person gave to the model of a run. */
export function readModelName({ provenance: { config } }: Pick<Run, 'provenance'>): string | undefined {
  const { model_name: name } = config
  return isFilled(name) ? name : undefined
}

const isFilled = (text: unknown): text is string => typeof text === 'string' && text !== ''

import type { Run } from '../../../cache/records.js'

/** The name and note of a run (`--name`, `--note`). */
export interface RunAbout {
  /** The name of `--name`. */
  readonly title?: string
  /** The remark of `--note`. */
  readonly note?: string
}

/** Reads the `--name` and `--note` of a run. */
export function readRunAbout({ provenance: { config } }: Pick<Run, 'provenance'>): RunAbout {
  const { name, note } = config
  return { ...(isFilled(name) && { title: name }), ...(isFilled(note) && { note }) }
}

/** Reads the `--model-name` of a run. */
export function readModelName({ provenance: { config } }: Pick<Run, 'provenance'>): string | undefined {
  const { model_name: name } = config
  return isFilled(name) ? name : undefined
}

const isFilled = (text: unknown): text is string => typeof text === 'string' && text !== ''

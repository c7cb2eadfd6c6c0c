import { mostRuns } from '../../../reading/samples/doc-kinds.js'

/** The runs that are chosen in the list, the baseline of a comparison first. */
export interface Chosen {
  readonly names: readonly string[]
  /** The run that the last choice put out, because only so many are shown side by side. */
  readonly left?: string
}

/** The choice before any run is chosen. */
export const noneChosen: Chosen = { names: [] }

/** Chooses a run, or no longer. One more than can be shown side by side takes the place of the one that was chosen first. */
export function chooseRun({ names }: Chosen, name: string): Chosen {
  if (names.includes(name)) return { names: names.filter(other => other !== name) }
  const [left] = names.length < mostRuns ? [] : names
  return { names: [...names.slice(1 - mostRuns), name], ...(left !== undefined && { left }) }
}

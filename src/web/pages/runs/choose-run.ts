import { mostRuns } from '../../../reading/samples/doc-kinds.js'

/** The runs that are chosen in the list, the baseline of a comparison first. */
export interface Chosen {
  readonly names: readonly string[]
  /** The run that the last choice removed, because the number of runs side by side is limited. */
  readonly left?: string
}

/** The choice before any run is chosen. */
export const noneChosen: Chosen = { names: [] }

/** Toggles the choice of a run. If too many runs are chosen, the first one is removed. */
export function chooseRun({ names }: Chosen, name: string): Chosen {
  if (names.includes(name)) return { names: names.filter(other => other !== name) }
  const [left] = names.length < mostRuns ? [] : names
  return { names: [...names.slice(1 - mostRuns), name], ...(left !== undefined && { left }) }
}

import { mostRuns } from '../../../reading/samples/doc-kinds.js'

/** The runs that are chosen in the list, the baseline of a comparison first. */
export interface RunChoice {
  readonly names: readonly string[]
  /** The run that the last choice removed, because the number of runs side by side is limited. */
  readonly left?: string
}

/** The choice before any run is chosen. */
export const noneChosen: RunChoice = { names: [] }

/** Toggles the choice of a run. If too many runs are chosen, the first one is removed. */
export function chooseRun({ names }: RunChoice, name: string): RunChoice {
  if (names.includes(name)) return { names: names.filter(other => other !== name) }
  const [left] = names.length < mostRuns ? [] : names
  return { names: [...names.slice(1 - mostRuns), name], ...(left !== undefined && { left }) }
}

/** The runs that are chosen for a comparison: at most two, the baseline first. */
export interface Chosen {
  readonly names: readonly string[]
  /** The run that the last choice put out, because two are compared. */
  readonly left?: string
}

/** The choice before any run is chosen. */
export const noneChosen: Chosen = { names: [] }

/** Chooses a run, or no longer. A third one takes the place of the one that was chosen first. */
export function chooseRun({ names }: Chosen, name: string): Chosen {
  if (names.includes(name)) return { names: names.filter(other => other !== name) }
  const [left] = names.length < 2 ? [] : names
  return { names: [...names.slice(-1), name], ...(left !== undefined && { left }) }
}

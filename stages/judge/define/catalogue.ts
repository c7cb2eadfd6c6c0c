/** Definitions by id, each loaded when it is asked for: a run needs one or two of dozens. */
export type Catalogue<Definition> = Readonly<Record<string, () => Promise<Definition>>>

/** The definitions of those ids that the catalogue has. */
export async function loadFrom<Definition>(
  catalogue: Catalogue<Definition>,
  ids: Iterable<string>,
): Promise<ReadonlyMap<string, Definition>> {
  const wanted = new Set(ids)
  const known = Object.entries(catalogue).filter(([id]) => wanted.has(id))
  return new Map(await Promise.all(known.map(async ([id, load]) => [id, await load()] as const)))
}

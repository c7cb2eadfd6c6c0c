/** Definitions by id. Each is loaded on first use, since a run needs only one or two of dozens. */
export type Catalogue<Definition> = Readonly<Record<string, () => Promise<Definition>>>

/** Loads the definitions with these ids. Unknown ids are ignored. */
export async function loadFrom<Definition>(
  catalogue: Catalogue<Definition>,
  ids: Iterable<string>,
): Promise<ReadonlyMap<string, Definition>> {
  const wanted = new Set(ids)
  const matchingEntries = Object.entries(catalogue).filter(([id]) => wanted.has(id))
  return new Map(await Promise.all(matchingEntries.map(async ([id, load]) => [id, await load()] as const)))
}

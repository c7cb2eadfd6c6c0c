import type { DocPlace } from '../../../store.js'
import type { IndexSource } from '../source/index-source.js'
import type { BuildTarget } from '../building/build-target.js'
import { readSampleText } from '../building/build-texts.js'
import { searchableText } from './text-query.js'

/** Samples that are looked at, at most. */
export const mostLooked = 20_000
/** Samples that are looked at before other work gets its turn. */
const atOnce = 200

/** Looks for texts as they are, without regard to case, in samples one after the other. It is for what the full-text search does not know, such as signs. */
export async function literalHits(
  store: IndexSource,
  target: BuildTarget,
  of: {
    readonly places: readonly DocPlace[]
    readonly literals: readonly string[]
    readonly signal: AbortSignal | undefined
  },
): Promise<{ readonly hits: readonly number[]; readonly looked: number }> {
  const literals = of.literals.map(searchableText)
  const hits: number[] = []
  for (const [at, place] of of.places.entries()) {
    const text = (await readSampleText(store, target, place)).toLowerCase()
    if (literals.every(literal => text.includes(literal))) hits.push(at)
    if (at % atOnce !== atOnce - 1) continue
    await new Promise(setImmediate)
    of.signal?.throwIfAborted()
  }
  return { hits, looked: of.places.length }
}

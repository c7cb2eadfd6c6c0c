import type { DocPlace } from '../../../store.js'
import type { IndexSource } from '../source/index-source.js'
import type { BuildTarget } from '../building/build-target.js'
import { readSampleText } from '../building/build-texts.js'
import { searchableText } from './text-query.js'

/** The maximum number of searched samples. */
export const mostLooked = 20_000
/** The number of samples that are searched before the event loop gets a turn. */
const atOnce = 200

/** Searches samples one by one for literal texts, ignoring case. It is for texts that the full-text search does not index, such as signs. */
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

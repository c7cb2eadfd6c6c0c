import type { Synset } from './wordnet.js'

/** Above every synset; where both are nouns it is not needed, for nouns have a root of their own. */
const root = '*ROOT*'

/**
 * How near two senses are: twice the depth of what is above both, over the sum of their depths through it; in (0, 1]. Undefined
 * where nothing is above both.
 *
 * The lowest of what is above both is the one whose shortest way up is the longest; of several the first by name, unless `one` is
 * among them. Its depth is then that of its longest way up, so that a sense with ways of unlike length is not 1 to itself.
 *
 * Source: Wu and Palmer, "Verb semantics and lexical selection" (1994), as NLTK 3.9.1 has it (`wup_similarity`).
 */
export function wuPalmer(one: Synset, other: Synset): number | undefined {
  const rooted = one.part !== 'n' || other.part !== 'n'
  const [ofOne, ofOther] = [ancestors(one), ancestors(other)]
  const shared = [...ofOne.values()].filter(({ name }) => ofOther.has(name))
  const lowest = lowestOf(shared, { rooted, preferred: one.name })
  if (lowest === undefined) return undefined
  const depth = longestWay(lowest) + 1
  const [first, second] = [distance(one, lowest, rooted), distance(other, lowest, rooted)]
  return (2 * depth) / (first + depth + (second + depth))
}

function ancestors(synset: Synset): ReadonlyMap<string, Synset> {
  const found = new Map([[synset.name, synset]])
  // A map gives what is added while it is walked through.
  for (const one of found.values()) for (const above of one.hypernyms()) found.set(above.name, above)
  return found
}

/** A synset, or nothing for the root above all. */
type TaxonomyNode = Synset | typeof root

function lowestOf(
  shared: readonly Synset[],
  { rooted, preferred }: { readonly rooted: boolean; readonly preferred: string },
): TaxonomyNode | undefined {
  const depth = Math.max(...shared.map(shortestWay))
  const deepest = shared.filter(one => shortestWay(one) === depth).sort((a, b) => (a.name < b.name ? -1 : 1))
  const itself = deepest.find(({ name }) => name === preferred)
  if (itself !== undefined) return itself
  // By name the root is before all others.
  return rooted && depth <= 0 ? root : deepest[0]
}

const shortestWay = (synset: Synset): number => wayUp(synset, Math.min)
const longestWay = (place: TaxonomyNode): number => (place === root ? 0 : wayUp(place, Math.max))

function wayUp(synset: Synset, choose: (...values: readonly number[]) => number): number {
  const above = synset.hypernyms()
  return above.length === 0 ? 0 : 1 + choose(...above.map(one => wayUp(one, choose)))
}

/** How many steps are between a synset and one above it, by the shortest way over anything above both. */
function distance(from: Synset, to: TaxonomyNode, rooted: boolean): number {
  if (to !== root && from.name === to.name) return 0
  const [one, other] = [steps(from, rooted), to === root ? new Map([[root, 0]]) : steps(to, rooted)]
  const ways = [...one].map(([name, up]) => up + (other.get(name) ?? Infinity))
  return Math.min(...ways)
}

/** The fewest steps to each synset above one; the root is a step above the farthest. */
function steps(synset: Synset, rooted: boolean): ReadonlyMap<string, number> {
  const found = new Map<string, number>()
  const queue: (readonly [Synset, number])[] = [[synset, 0]]
  for (const [one, up] of queue) {
    if (found.has(one.name)) continue
    found.set(one.name, up)
    for (const above of one.hypernyms()) queue.push([above, up + 1])
  }
  if (rooted) found.set(root, Math.max(...found.values()) + 1)
  return found
}

import type { Synset } from './wordnet.js'

/** A root above every synset. Two nouns do not need it, since nouns have a common root. */
const root = '*ROOT*'

/**
 * The similarity of two senses: twice the depth of their lowest common hypernym, divided by the sum of their depths through it. It is in (0, 1], and
 * undefined without a common hypernym.
 *
 * The lowest common hypernym is the deepest one, measured by the shortest path to the root. Of several, it is the first by name, unless `left` is among them. Its own
 * depth, however, is measured by its longest path. A sense with paths of different lengths is therefore not 1 to itself.
 *
 * Source: Wu and Palmer, "Verb semantics and lexical selection" (1994), as in NLTK 3.9.1 (`wup_similarity`).
 */
export function wuPalmer(left: Synset, right: Synset): number | undefined {
  const rooted = left.part !== 'n' || right.part !== 'n'
  const [ofOne, ofOther] = [ancestors(left), ancestors(right)]
  const shared = [...ofOne.values()].filter(({ name }) => ofOther.has(name))
  const lowest = findDeepestNode(shared, { rooted, preferred: left.name })
  if (lowest === undefined) return undefined
  const depth = longestWay(lowest) + 1
  const [first, second] = [distance(left, lowest, rooted), distance(right, lowest, rooted)]
  return (2 * depth) / (first + depth + (second + depth))
}

function ancestors(synset: Synset): ReadonlyMap<string, Synset> {
  const synsetsByName = new Map([[synset.name, synset]])
  // Iterating over a map includes the entries that are added meanwhile.
  for (const node of synsetsByName.values()) for (const above of node.hypernyms()) synsetsByName.set(above.name, above)
  return synsetsByName
}

/** A synset, or the artificial root. */
type TaxonomyNode = Synset | typeof root

function findDeepestNode(
  shared: readonly Synset[],
  { rooted, preferred }: { readonly rooted: boolean; readonly preferred: string },
): TaxonomyNode | undefined {
  const depth = Math.max(...shared.map(shortestWay))
  const deepest = shared.filter(node => shortestWay(node) === depth).sort((a, b) => (a.name < b.name ? -1 : 1))
  const itself = deepest.find(({ name }) => name === preferred)
  if (itself !== undefined) return itself
  // The root is before all other nodes by name.
  return rooted && depth <= 0 ? root : deepest[0]
}

const shortestWay = (synset: Synset): number => wayUp(synset, Math.min)
const longestWay = (node: TaxonomyNode): number => (node === root ? 0 : wayUp(node, Math.max))

function wayUp(synset: Synset, choose: (...values: readonly number[]) => number): number {
  const above = synset.hypernyms()
  return above.length === 0 ? 0 : 1 + choose(...above.map(hypernym => wayUp(hypernym, choose)))
}

/** The number of steps from a synset to one above it, by the shortest path through any common hypernym. */
function distance(from: Synset, to: TaxonomyNode, rooted: boolean): number {
  if (to !== root && from.name === to.name) return 0
  const [stepsFrom, stepsTo] = [steps(from, rooted), to === root ? new Map([[root, 0]]) : steps(to, rooted)]
  const ways = [...stepsFrom].map(([name, up]) => up + (stepsTo.get(name) ?? Infinity))
  return Math.min(...ways)
}

/** The fewest steps to each hypernym of a synset. The artificial root is one step above the farthest. */
function steps(synset: Synset, rooted: boolean): ReadonlyMap<string, number> {
  const fewestSteps = new Map<string, number>()
  const queue: (readonly [Synset, number])[] = [[synset, 0]]
  for (const [node, up] of queue) {
    if (fewestSteps.has(node.name)) continue
    fewestSteps.set(node.name, up)
    for (const above of node.hypernyms()) queue.push([above, up + 1])
  }
  if (rooted) fewestSteps.set(root, Math.max(...fewestSteps.values()) + 1)
  return fewestSteps
}

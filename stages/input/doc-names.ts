import { pythonText } from '../../base/python/python-text.js'
import { wellFormed } from '../../base/text/visible-text.js'
import type { Doc } from './tasks/doc.js'

/**
 * Makes a function that names the docs of a task uniquely. It must be called for every doc in order, also for docs
 * that are skipped. The name is the dataset's id for the doc; where an earlier doc has the same id, the index is
 * added (`q17#204`).
 */
export function docNames(): (doc: Doc, index: number) => string {
  const hashes = new IndexSet()
  return (doc, index) => {
    const ownId = docId(doc, index)
    const id = wellFormed(ownId)
    const name = hashes.add(computeHash(id)) && id === ownId ? id : `${id}#${index}`
    if (name !== id) hashes.add(computeHash(name))
    return name
  }
}

/**
 * Combines two 32-bit FNV-1a hashes to one number of 53 bits. On a collision, which is very unlikely, a unique id
 * gets its index too.
 */
function computeHash(text: string): number {
  let [low, high] = [0x811c9dc5, 0x1b873593]
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    low = Math.imul(low ^ unit, 0x01000193)
    high = Math.imul(high ^ unit, 0x85ebca6b)
    high ^= high >>> 13
  }
  return (low >>> 0) + (high & 0x1fffff) * 2 ** 32
}

/** A set of numbers from 0 with 16 bytes each. A Set of a million names would take a hundred megabytes. */
class IndexSet {
  /** Each entry is the number plus 1, since 0 marks a free place. */
  #places = new Float64Array(1_024)
  #size = 0

  /** Returns whether the number is new. */
  add(number: number): boolean {
    if (2 * (this.#size + 1) > this.#places.length) this.#grow()
    const isNew = put(this.#places, number + 1)
    if (isNew) this.#size += 1
    return isNew
  }

  #grow(): void {
    const larger = new Float64Array(2 * this.#places.length)
    for (const entry of this.#places) if (entry !== 0) put(larger, entry)
    this.#places = larger
  }
}

function put(positions: Float64Array, entry: number): boolean {
  for (let at = entry % positions.length; ; at = (at + 1) % positions.length) {
    if (positions[at] === entry) return false
    if (positions[at] !== 0) continue
    positions[at] = entry
    return true
  }
}

/** Returns the dataset's id of the doc, else its index. */
export function docId(doc: Doc, index: number): string {
  for (const name of ['id', 'question_id', 'doc_id']) {
    const id = doc[name]
    if (typeof id === 'string' || typeof id === 'number') return pythonText(id)
  }
  return String(index)
}

/** Returns whether a doc got another name than its id, because an earlier doc has that id. */
export function isRenamed({
  doc,
  index,
  id,
}: {
  readonly doc: Doc
  readonly index: number
  readonly id: string
}): boolean {
  const own = docId(doc, index)
  return id !== own && id === `${own}#${index}`
}

import type { JsonObject } from '../../cache/records.js'

const columns = ['index', 'question', 'answer', 'hint', 'source', 'split', 'category', 'L2-category']

/** A row of the table that the benchmark's server takes. */
export function submissionOf(doc: JsonObject, prediction: string): JsonObject {
  const options = Object.fromEntries(
    ['A', 'B', 'C', 'D', 'E'].map(letter => [letter, doc[letter] === undefined ? 'nan' : doc[letter]]),
  )
  const level = doc['L2-category'] ?? doc['l2-category']
  const given = { ...doc, ...(level === undefined ? {} : { 'L2-category': level }) }
  const kept = Object.entries(given).filter(([name]) => columns.includes(name))
  return { ...Object.fromEntries(kept), ...options, prediction }
}

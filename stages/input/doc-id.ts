import type { Doc } from './tasks/doc.js'

/** What the dataset calls the doc, else its index. */
export function docId(doc: Doc, index: number): string {
  for (const name of ['id', 'question_id', 'doc_id']) {
    const id = doc[name]
    if (typeof id === 'string' || typeof id === 'number') return String(id)
  }
  return String(index)
}

import type { Doc, DocList } from '../tasks/doc.js'

/** Docs with the two things that tasks do most, none of which reads ahead. */
export function docList(docs: AsyncIterable<Doc>): DocList {
  return {
    [Symbol.asyncIterator]: () => docs[Symbol.asyncIterator](),
    filter: isKept => docList(filtered(docs, isKept)),
    map: change => docList(mapped(docs, change)),
  }
}

async function* filtered(docs: AsyncIterable<Doc>, isKept: Parameters<DocList['filter']>[0]): AsyncGenerator<Doc> {
  let index = 0
  for await (const doc of docs) if (isKept(doc, index++)) yield doc
}

async function* mapped(docs: AsyncIterable<Doc>, change: Parameters<DocList['map']>[0]): AsyncGenerator<Doc> {
  let index = 0
  for await (const doc of docs) yield change(doc, index++)
}

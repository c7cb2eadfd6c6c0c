import type { Doc, ProcessDocs } from '../../stages/input/tasks/doc.js'
import { identifier } from '../_shared/values.js'

export { question } from '../_shared/question.js'

/** The questions with their pictures, which the dataset keeps apart, each once. Docs that have theirs keep it. */
export const withPictures: ProcessDocs = async function* (docs, { rows }) {
  let pictures: ReadonlyMap<string, unknown> | undefined
  for await (const doc of docs) {
    if (doc['image'] !== undefined && doc['image'] !== null) {
      yield doc
      continue
    }
    pictures ??= await byId(rows({ name: 'testdev_balanced_images', split: 'testdev' }))
    const id = identifier(doc['imageId'], 'imageId')
    if (!pictures.has(id)) throw new Error(`there is no picture ${id}, which the field "imageId" names`)
    yield { ...doc, image: pictures.get(id) }
  }
}

async function byId(rows: AsyncIterable<Doc>): Promise<ReadonlyMap<string, unknown>> {
  const pictures = new Map<string, unknown>()
  for await (const row of rows) pictures.set(identifier(row['id'], 'id'), row['image'])
  return pictures
}

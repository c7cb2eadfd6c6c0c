import { expect, test } from 'vitest'
import { docList } from '../../stages/input/datasets/dataset.js'
import type { DatasetAccess, Doc } from '../../stages/input/tasks/doc.js'
import { oneExpressionEach } from '../../tasks/refcoco/utils.js'
import { withMedia } from '../support/golden-media.js'
import { testGoldenTask } from '../support/golden-task.js'

const measures = ['IoU', 'ACC@0.1', 'ACC@0.3', 'ACC@0.5', 'ACC@0.7', 'ACC@0.9', 'Center_ACC']

// The reference collects the boxes and compares them at the end.
testGoldenTask('refcoco_rec', {
  onlyAggregates: measures.map(name => `refcoco_${name}`),
})

const access: DatasetAccess = {
  read: medium => Promise.resolve((medium as { readonly bytes: Uint8Array }).bytes),
  rows: () => docList(listed([])),
}

async function* listed(docs: readonly Doc[]): AsyncGenerator<Doc> {
  for (const doc of docs) yield await Promise.resolve(doc)
}

async function expressions(doc: Doc): Promise<readonly Doc[]> {
  const made: Doc[] = []
  for await (const one of await oneExpressionEach(docList(listed([doc])), access)) made.push(one)
  return made
}

test('each expression becomes a doc, with its box in fractions of the picture', async () => {
  const image = withMedia({ $image: [200, 100, 'RGB'] })
  const made = await expressions({ question_id: '7', image, bbox: [20, 10, 100, 50], answer: ['left mule', 'mule'] })
  expect(made).toEqual(
    ['left mule', 'mule'].map(answer => ({
      question_id: '7',
      image,
      answer,
      bbox: [0.1, 0.1, 0.6, 0.6],
      image_width: 200,
      image_height: 100,
    })),
  )
  expect(await expressions(made[0] ?? {})).toEqual(made.slice(0, 1))
})

import { expect, test } from 'vitest'
import { docList } from '../../stages/input/datasets/dataset.js'
import type { DatasetAccess, Doc } from '../../stages/input/tasks/doc.js'
import { withPictures } from '../../tasks/gqa/utils.js'
import { testGoldenTask } from '../support/golden-task.js'

testGoldenTask('gqa')

async function* listed(docs: readonly Doc[]): AsyncGenerator<Doc> {
  for (const doc of docs) yield await Promise.resolve(doc)
}

async function joined(
  docs: readonly Doc[],
): Promise<{ readonly docs: readonly Doc[]; readonly asked: readonly unknown[] }> {
  const asked: unknown[] = []
  const access: DatasetAccess = {
    read: () => Promise.reject(new Error('nothing to read')),
    rows: other => {
      asked.push(other)
      return listed([
        { id: 'n1', image: 'one.jpg' },
        { id: 'n2', image: 'two.jpg' },
      ])
    },
  }
  const made: Doc[] = []
  for await (const doc of await withPictures(docList(listed(docs)), access)) made.push(doc)
  return { docs: made, asked }
}

test('takes pictures of questions from the other configuration, which is read once', async () => {
  const { docs, asked } = await joined([{ imageId: 'n2' }, { imageId: 'n1' }, { imageId: 'n2' }])
  expect(docs.map(doc => doc['image'])).toEqual(['two.jpg', 'one.jpg', 'two.jpg'])
  expect(asked).toEqual([{ name: 'testdev_balanced_images', split: 'testdev' }])
})

test('keeps pictures of questions, and reports a question without any', async () => {
  const own = { imageId: 'n1', image: 'own.jpg' }
  expect(await joined([own])).toEqual({ docs: [own], asked: [] })
  await expect(joined([{ imageId: 'n3' }])).rejects.toThrow('there is no picture n3, which the field "imageId" names')
})

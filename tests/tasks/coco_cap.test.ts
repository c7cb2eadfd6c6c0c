import { expect, test } from 'vitest'
import { builtinTask } from '../support/builtin-task.js'
import { captionOptions } from '../support/golden-captions.js'
import { testGoldenTask } from '../support/golden-task.js'

testGoldenTask('coco_cap', captionOptions('coco'))

test('coco_karpathy gets its pictures by address, and accepts all captions', async () => {
  const { prompt, target, score } = await builtinTask('coco_karpathy_test')
  const doc = {
    ...{ filename: 'COCO_val2014_000000000042.jpg', imgid: 3, url: 'http://images.cocodataset.org/val2014/a.jpg' },
    sentences: ['A cat on a mat.', 'A cat lies there.'],
  }
  expect(prompt(doc)).toContain('Describe the image briefly.')
  expect(target(doc)).toEqual(doc.sentences)
  expect((await score(doc, 'A cat on a mat.')).values['coco_ROUGE_L']).toBe(1)
})

import { expect, test } from 'vitest'
import { wireRecord } from '../../../stages/judge/python/wire-record.js'

test('sends a doc to Python with marks for its floats, times and media', async () => {
  const part = { type: 'image', media: `sha256:${'a'.repeat(64)}` }
  const doc = { 'a/b': [1, 2], 'x~y': '2024-01-02', image: part, like: { $float: '1' }, part }
  const marks = { floats: ['/a~1b/1'], wire: { '/x~0y': { $date: '2024-01-02' } }, media: ['/image'] }
  const found = await wireRecord(doc, marks, { find: digest => Promise.resolve(`/media/${digest.slice(7, 10)}`) })
  expect(found).toEqual({
    'a/b': [1, { $float: '2.0' }],
    'x~y': { $date: '2024-01-02' },
    image: { $image: { path: '/media/aaa' } },
    like: { $dict: [['$float', '1']] },
    // A field of the doc with this form is not a medium.
    part,
  })
})

test('a missing medium is an error that names its field', async () => {
  const doc = { image: { type: 'image', media: `sha256:${'a'.repeat(64)}` } }
  const gone = (): Promise<string> => Promise.reject(new Error('medium gone'))
  await expect(wireRecord(doc, { media: ['/image'] }, { find: gone })).rejects.toThrow("the doc's /image: medium gone")
})

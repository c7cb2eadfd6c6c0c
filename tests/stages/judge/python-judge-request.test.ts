import { expect, test } from 'vitest'
import { judgePrompt } from '../../../stages/judge/python/judge-request.js'
import { png } from '../../support/viewed-run.js'

const keep = () => Promise.resolve(`sha256:${'a'.repeat(64)}` as never)
const asked = (url: string) => ({ messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url } }] }] })

test('a picture for the judge becomes a part with its digest', async () => {
  const url = `data:image/png;base64,${(await png(1, 1)).toString('base64')}`
  expect((await judgePrompt(asked(url), keep)).messages).toEqual([
    { role: 'user', text: '', content: [{ type: 'image', media: `sha256:${'a'.repeat(64)}` }] },
  ])
})

test('rejects a picture by address and bytes that are no picture, and says what to do', async () => {
  await expect(judgePrompt(asked('https://example.org/a.png'), keep)).rejects.toThrow(/Send its bytes as "data:/)
  await expect(judgePrompt(asked('data:image/png;base64,AAAA'), keep)).rejects.toThrow('no known image format')
})

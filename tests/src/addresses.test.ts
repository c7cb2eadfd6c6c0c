import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import sharp from 'sharp'
import { expect, onTestFinished, test } from 'vitest'
import { evaluate } from '../../src/index.js'
import { startFakeOpenai } from '../support/fake-openai.js'
import { temporaryFolder } from '../support/store.js'

test('reads rows and pictures from addresses, and sends pictures as bytes or by address', async () => {
  const image = await sharp({ create: { width: 8, height: 8, channels: 3, background: 'red' } })
    .png()
    .toBuffer()
  const asked: string[] = []
  const files = createServer((request, response) => {
    asked.push(request.url ?? '')
    if (request.url === '/a.png') response.end(image)
    else if (request.url === '/rows.jsonl')
      response.end(
        ['/a.png', '/b.png'].map(at => JSON.stringify({ q: 'Which?', a: 'red', image: url + at })).join('\n'),
      )
    else response.writeHead(404).end()
  })
  await new Promise<void>(resolve => files.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void files.close())
  const url = `http://127.0.0.1:${(files.address() as AddressInfo).port}`
  const folder = await temporaryFolder()
  const task = join(folder, 'far.yaml')
  await writeFile(
    task,
    `task: far
dataset_path: json
dataset_kwargs: {data_files: ${url}/rows.jsonl}
doc_to_visual: image
doc_to_text: q
doc_to_target: a
`,
  )
  const server = await startFakeOpenai({ keepBodies: true })
  const store = join(folder, 'store')
  const modelArgs = { model: 'm', base_url: server.url }
  const run = await evaluate({ store, model: 'openai', modelArgs, tasks: [task] })
  expect(run.failures.map(({ failure }) => [failure.class, failure.message])).toEqual([
    ['media', `far/1: ${url}/b.png answered 404`],
  ])
  expect(server.seen.at(-1)?.text).toContain('"url":"data:image/png;base64,')
  await evaluate({ store, model: 'openai', modelArgs: { ...modelArgs, media_as: 'url' }, tasks: [task] })
  expect(server.seen.at(-1)?.text).toContain(`{"type":"image_url","image_url":{"url":"${url}/a.png"}}`)
  await evaluate({ store, model: 'openai', modelArgs: { ...modelArgs, media_as: 'file' }, tasks: [task] })
  expect(server.seen.at(-1)?.text).toMatch(/"url":"file:\/\/.*\/store\/media\/[0-9a-f]{2}\/[0-9a-f]{62}"/)
  expect(asked.filter(path => path === '/a.png')).toHaveLength(1)
})

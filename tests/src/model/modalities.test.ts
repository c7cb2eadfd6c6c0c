import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import sharp from 'sharp'
import { expect, test } from 'vitest'
import { evaluate, openStore, PipelineError, type EvaluateOptions } from '../../../src/index.js'
import { startFakeOpenai } from '../../support/fake-openai.js'
import { temporaryFolder } from '../../support/store.js'

const yaml = `task: pictures
dataset_path: ./docs.jsonl
doc_to_visual: !function utils.shown
doc_to_text: "{{question}}"
doc_to_target: answer
`
const code = `export const shown = (doc: { readonly image: string | null }) => (doc.image === null ? [] : [doc.image])\n`

/** Docs of which those at these indexes have a picture, which only a function knows. */
async function pictures(count: number, isShown: (index: number) => boolean): Promise<{ folder: string; task: string }> {
  const folder = await temporaryFolder()
  await mkdir(join(folder, 'task'))
  const image = await sharp({ create: { width: 8, height: 8, channels: 3, background: 'red' } })
    .png()
    .toBuffer()
  const docs = Array.from({ length: count }, (_, index) =>
    JSON.stringify({ id: `d${index}`, question: `q${index}`, answer: 'blue', image: isShown(index) ? 'a.png' : null }),
  )
  for (const [name, content] of [
    ['pictures.yaml', yaml],
    ['utils.ts', code],
    ['docs.jsonl', docs.join('\n')],
    ['a.png', image],
  ] as const)
    await writeFile(join(folder, 'task', name), content)
  return { folder, task: join(folder, 'task/pictures.yaml') }
}

async function problemsOf(options: EvaluateOptions): Promise<readonly string[]> {
  const error: unknown = await evaluate(options).catch((reason: unknown) => reason)
  expect(error).toBeInstanceOf(PipelineError)
  return (error as PipelineError).problems
}

test('rejects a task with pictures for a text-only model before anything is sent or stored', async () => {
  const { folder, task } = await pictures(3, index => index === 1)
  const server = await startFakeOpenai()
  const store = join(folder, 'store')
  const modelArgs = { model: 'm', base_url: server.url, api_key: 'k' }
  const problems = await problemsOf({ store, model: 'deepseek', modelArgs, tasks: [task] })
  expect(problems).toEqual([
    expect.stringMatching(
      /^task pictures shows images \(doc d1\), which model deepseek does not take: it takes text\. .*modalities=text\+image .*Models that do: onnx_vlm, transformers_js, openai, .*gemini/,
    ),
  ])
  const narrowed = { ...modelArgs, modalities: 'text+audio' }
  expect((await problemsOf({ store, model: 'openai', modelArgs: narrowed, tasks: [task] }))[0]).toMatch(
    /shows images \(doc d1\), which model openai does not take: it takes text, audio\./,
  )
  expect(server.seen).toEqual([])
  const opened = await openStore(store)
  expect(await opened.runs.list()).toEqual([])
  await opened.close()
})

test('modalities can be set as an argument, which is in no key', async () => {
  const { folder, task } = await pictures(2, () => true)
  const server = await startFakeOpenai()
  const modelArgs = { model: 'm', base_url: server.url, api_key: 'k' }
  const options = { store: join(folder, 'store'), tasks: [task] }
  const wider = await evaluate({
    ...options,
    model: 'deepseek',
    modelArgs: { ...modelArgs, modalities: 'text+image' },
  })
  expect(wider).toMatchObject({ asked: 2, failures: [] })
  expect(await evaluate({ ...options, model: 'openai', modelArgs })).toMatchObject({ asked: 0, fromStore: 2 })
})

test('ignores docs that are not selected, and a later doc fails alone', async () => {
  const { folder, task } = await pictures(40, index => index === 0 || index === 39)
  const server = await startFakeOpenai()
  const run = await evaluate({
    store: join(folder, 'store'),
    model: 'deepseek',
    modelArgs: { model: 'm', base_url: server.url, api_key: 'k' },
    tasks: [task],
    offset: 1,
  })
  expect(run.failures.map(({ failure }) => failure.class)).toEqual(['invalid_request'])
  expect(run.asked).toBe(38)
})

test('a task with PDFs is sent to a model that accepts them, and else rejected before any request', async () => {
  const folder = await temporaryFolder()
  const pdf = Buffer.from('%PDF-1.7\n1 0 obj\n<</Type/Page>>\n%%EOF\n')
  const turns = `export const turns = (doc: { readonly paper: string; readonly question: string }) => [
  { role: 'user', content: [{ type: 'file', file: doc.paper }, { type: 'text', text: doc.question }] },
]
`
  const own =
    'task: papers\ndataset_path: ./docs.jsonl\ndoc_to_messages: !function utils.turns\ndoc_to_target: answer\n'
  for (const [name, content] of [
    ['papers.yaml', own],
    ['utils.ts', turns],
    ['docs.jsonl', JSON.stringify({ paper: 'a.pdf', question: 'Who wrote it?', answer: 'Ada' })],
    ['a.pdf', pdf],
  ] as const)
    await writeFile(join(folder, name), content)
  const server = await startFakeOpenai()
  const options = {
    store: join(folder, 'store'),
    modelArgs: { model: 'm', base_url: server.url, api_key: 'k' },
    tasks: [join(folder, 'papers.yaml')],
  }
  expect(await problemsOf({ ...options, model: 'deepseek' })).toEqual([
    expect.stringMatching(
      /^task papers shows files \(PDF\) \(doc \w+\), which model deepseek does not take: .*modalities=text\+file .*anthropic/,
    ),
  ])
  expect(server.seen).toEqual([])
  expect(await evaluate({ ...options, model: 'openai' })).toMatchObject({ asked: 1, failures: [] })
  expect(JSON.parse(server.seen[0]!.text)).toMatchObject({
    messages: [
      {
        content: [
          {
            type: 'file',
            file: { filename: 'document.pdf', file_data: `data:application/pdf;base64,${pdf.toString('base64')}` },
          },
          { type: 'text', text: 'Who wrote it?' },
        ],
      },
    ],
  })
})

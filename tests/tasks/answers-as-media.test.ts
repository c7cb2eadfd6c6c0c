/** The shipped tasks whose answers are sounds and pictures, with fake models and judges. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openStore } from '../../cache/open.js'
import { evaluate, judge, openai, type EvaluateOptions } from '../../src/index.js'
import { openRun } from '../../src/reading/runs/run-reference.js'
import { sampleView } from '../../src/present/page/samples/sample-view.js'
import { completion, startFakeOpenai, type FakeOpenai, type FakeOptions } from '../support/fake-openai.js'
import { verdictMark } from '../support/graded.js'
import { picture } from '../support/own-task.js'
import { temporaryFolder } from '../support/store.js'
import { silentWav } from '../support/wav.js'

type Content = string | readonly { readonly type: string; readonly text?: string; readonly [key: string]: unknown }[]

/** The parts of the last message of a request. */
function readParts(body: string): Exclude<Content, string> {
  const { messages } = JSON.parse(body) as { messages: readonly { content: Content }[] }
  const { content = '' } = messages.at(-1) ?? {}
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content
}

const readText = (body: string): string =>
  readParts(body)
    .map(({ text = '' }) => text)
    .join('')

async function serve(answer: NonNullable<FakeOptions['answer']>): Promise<FakeOpenai> {
  const server = await startFakeOpenai({ answer, keepBodies: true })
  onTestFinished(() => server.close())
  return server
}

const args = (server: FakeOpenai, model: string) => ({ model, base_url: server.url, api_key: 'k' })

test('speak_sentences: a recogniser transcribes each spoken answer once, and the rates are those of its transcripts', async () => {
  // The recogniser identifies a sentence by the length of its sound.
  const spoken = new Map<string, string>()
  const model = await serve(({ text }) => {
    const sentence = readText(text).split('nothing else: ')[1] ?? ''
    const data = silentWav(100 + sentence.length * 8).toString('base64')
    spoken.set(data, sentence)
    return completion(null, 'stop', { audio: { data, transcript: 'what the model believes to say' } })
  })
  const recogniser = await serve(({ text }) => {
    const [sound] = readParts(text)
    const { data } = sound?.['input_audio'] as { data: string }
    return (spoken.get(data) ?? '').replace(/^The ferry/, 'A ferry')
  })
  const store = join(await temporaryFolder(), 'store')
  const settings: EvaluateOptions = {
    ...{ store, tasks: ['speak_sentences'], limit: 3 },
    ...{ model: 'openai', modelArgs: args(model, 'm') },
    judgeFor: { 'speak_sentences.asr_*': openai({ model: 'hearing', baseUrl: recogniser.url, apiKey: 'k' }) },
  }
  const outcome = await evaluate(settings)
  expect(outcome.of('speak_sentences').metrics).toMatchObject({
    asr_wer: { value: expect.closeTo(1 / 28, 6) as number, n: 3 },
    asr_cer: { value: expect.closeTo(3 / 147, 6) as number, n: 3 },
  })
  // Both metrics share a call.
  expect([model.stats().requests, recogniser.stats().requests]).toEqual([3, 3])
  expect(await evaluate(settings)).toMatchObject({ asked: 0 })
  expect(recogniser.stats().requests).toBe(3)

  const opened = await openStore(store)
  onTestFinished(() => opened.close())
  const runs = await opened.runs.list()
  const judged = runs.find(run => run.asked.tasks.some(({ name }) => name === 'speak_sentences'))!
  const view = await sampleView(opened, await openRun(opened, judged.name), { task: 0, index: 0 })
  expect(JSON.stringify(view)).toContain('A ferry leaves the island before sunrise.')
})

test('a task may set a panel of recognisers; an option overrides it, and a changed file is judged again', async () => {
  const model = await serve(() => completion(null, 'stop', { audio: { data: silentWav(800).toString('base64') } }))
  const hearing = await Promise.all(['red green', 'red blue', 'red'].map(text => serve(() => text)))
  const [first, second, third] = hearing.map((server, i) => ({ model: 'openai', args: args(server, `ear${i}`) }))
  const folder = await temporaryFolder()
  const writeTask = (judge: unknown) =>
    writeFile(
      join(folder, 'spoken.yaml'),
      `task: spoken\ndataset_path: ./docs.jsonl\ndoc_to_text: Say it\ndoc_to_target: say\nmetric_list: [{metric: asr_wer, judge: ${JSON.stringify(judge)}}]\n`,
    )
  const withoutKey = (choice: typeof first) => ({ ...choice, args: { ...choice?.args, api_key: undefined } })
  await writeFile(join(folder, 'docs.jsonl'), '{"say": "red green"}')
  await writeTask([first, second].map(withoutKey))
  const store = join(folder, 'store')
  const settings: EvaluateOptions = {
    ...{ store, tasks: [join(folder, 'spoken.yaml')] },
    ...{ model: 'openai', modelArgs: args(model, 'm') },
  }
  const named = await evaluate(settings)
  expect(named.of('spoken').metrics['asr_wer']).toMatchObject({
    value: 1 / 4,
    judges: ['openai ear0', 'openai ear1'],
    panel: { docs: 1, disputed: 1 },
  })
  const option = {
    ...settings,
    judgeFor: { spoken: [openai({ model: 'ear2', baseUrl: hearing[2]!.url, apiKey: 'k' })] },
  }
  expect((await evaluate(option)).of('spoken').metrics['asr_wer']).toMatchObject({ value: 1 / 2 })
  await writeTask(withoutKey(third))
  const again = await judge(named.run.name, { store })
  expect(again.of('spoken').metrics['asr_wer']).toMatchObject({ value: 1 / 2, judges: ['openai ear2'] })
  expect(hearing.map(server => server.stats().requests)).toEqual([1, 1, 1])
})

test('draw_shapes: a judge gets the pictures, and an answer without one is unparsed', async () => {
  const drawn = (await picture(200)).toString('base64')
  const model = await serve(({ text }) =>
    readText(text).includes('a blue square')
      ? 'A blue square, I promise.'
      : completion('Here it is:', 'stop', { images: [{ image_url: { url: `data:image/png;base64,${drawn}` } }] }),
  )
  const judge = await serve(({ text }) => {
    const prompt = readText(text)
    return `${verdictMark(prompt)} ${prompt.includes('a red circle') ? 'CORRECT' : 'INCORRECT'}`
  })
  const outcome = await evaluate({
    ...{ store: join(await temporaryFolder(), 'store'), tasks: ['draw_shapes'], limit: 3 },
    ...{ model: 'openai', modelArgs: args(model, 'm') },
    ...{ judgeModel: 'openai', judgeArgs: args(judge, 'seeing') },
  })
  expect(outcome.of('draw_shapes').metrics['shows']).toMatchObject({ value: 1 / 3, n: 3, unparsed: 1 })
  expect(judge.seen.map(({ text }) => readParts(text).map(({ type }) => type))).toEqual([
    ['image_url', 'text'],
    ['image_url', 'text'],
  ])
})

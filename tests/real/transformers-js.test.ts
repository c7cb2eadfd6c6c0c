/** Models that `@huggingface/transformers` computes: its answers are those of other implementations. */
import { execFileSync } from 'node:child_process'
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, describe, expect, inject, onTestFinished, test } from 'vitest'
import { makeLastingFile } from '../../cache/media/lasting-file.js'
import type { GenerationKwargs, Input, ResponseBody } from '../../cache/records.js'
import type { Model } from '../../stages/model/model.js'
import { hasFfmpeg } from '../support/framed-videos.js'
import { temporaryFolder } from '../support/store.js'
import { transformersJs } from '../../stages/model/backends/transformers-js.js'
import {
  ask,
  goldenAnswers,
  greedy,
  letters,
  likelihood,
  memoryContext,
  picturesOf,
  questions,
  tinyvlm,
} from '../stages/model/backends/onnx-vlm/tinyvlm.js'

const real = inject('transformersJs')
const missing = 'missing' in real ? real.missing : undefined
const reason = missing === undefined ? '' : ` (skipped: there is no ${missing})`
// Worker processes look there. This process has the environment to itself.
if ('modules' in real) process.env['NODE_PATH'] = real.modules

const { add, context } = memoryContext()
const never = new AbortController().signal

const open = (model: string, dtype: 'fp32' | 'q8' = 'fp32', pooling?: 'mean' | 'cls' | 'last_token') =>
  transformersJs.open({ model, dtype, device: 'cpu', threads: 1, language: undefined, pooling, workers: 2 }, context)

async function askAll(model: Model, inputs: readonly Input[]): Promise<readonly ResponseBody[]> {
  const bodies: ResponseBody[] = []
  let next = 0
  const lane = async () => {
    for (let i = next++; i < inputs.length; i = next++)
      bodies[i] = (await model.answer({ input: inputs[i]!, generation: {}, sample: 0 }, never)).body
  }
  await Promise.all([lane(), lane(), lane(), lane()])
  return bodies
}

const farthest = (bodies: readonly ResponseBody[], expected: readonly number[]): number =>
  Math.max(...bodies.map((body, i) => Math.abs((body.logprob ?? Number.NaN) - expected[i]!)))

describe.skipIf(missing !== undefined)(`tinyvlm${reason}`, () => {
  let model: Model | undefined
  const opened = async () => (model ??= await open(tinyvlm))
  afterAll(() => model?.close?.())

  const load = async () => {
    const golden = goldenAnswers('test')
    return (await questions('test')).map(question => ({
      question,
      golden: golden.get(question.id)!,
      messages: ask(question.question, picturesOf(question).map(add)),
    }))
  }

  test('all 1,000 greedy answers equal the reference, 905 of them right', async () => {
    const items = await load()
    const bodies = await askAll(
      await opened(),
      items.map(({ messages }) => greedy(messages)),
    )
    expect(bodies.map(({ text }) => text)).toEqual(items.map(({ golden }) => golden.greedy))
    expect(bodies.filter(({ text }, i) => text.trim() === items[i]!.question.answer)).toHaveLength(905)
    expect(bodies.every(({ finishReason }) => finishReason === 'stop')).toBe(true)
  })

  test('log-probabilities of answers and options equal the reference within 0.001', async () => {
    const items = (await load()).filter(({ golden }) => golden.options !== undefined)
    const bodies = await askAll(
      await opened(),
      items.flatMap(({ messages, question }) => letters.map(letter => likelihood(messages, ` ${question[letter]!}`))),
    )
    const expected = items.flatMap(({ golden }) => letters.map(letter => golden.options![letter]))
    expect(expected).toHaveLength(4 * 282)
    expect(farthest(bodies, expected)).toBeLessThan(1e-3)
    expect(bodies.every(({ isGreedy, continuationTokens }) => isGreedy !== undefined && continuationTokens! > 0)).toBe(
      true,
    )
  })

  test('samples depend only on seed and sample, and stop sequences and limits end an answer', async () => {
    const [item] = (await load()).filter(({ golden }) => golden.greedy.split(' ').length > 5)
    const input = greedy(item!.messages)
    const answer = async (generation: GenerationKwargs, sample = 0) =>
      (await (await opened()).answer({ input, generation, sample }, never)).body
    const hot = { temperature: 3, max_new_tokens: 8 }
    const texts = await Promise.all([0, 1, 2, 3].map(async sample => (await answer(hot, sample)).text))
    expect(new Set(texts).size).toBeGreaterThan(1)
    expect((await answer(hot, 2)).text).toBe(texts[2])
    expect((await answer({ temperature: 2, top_k: 1 })).text).toBe(item!.golden.greedy)
    expect(await answer({ max_new_tokens: 3 })).toMatchObject({ finishReason: 'length' })
    const stop = item!.golden.greedy.slice(6, 9)
    const cut = item!.golden.greedy.slice(0, item!.golden.greedy.indexOf(stop))
    expect(await answer({ until: [stop] })).toEqual({ text: cut, finishReason: 'stop' })
    await expect(answer({ num_beams: 4 })).rejects.toMatchObject({ class: 'invalid_request', isRetryable: false })
  })

  test('answers a text without a picture, and an invalid picture fails only its request', async () => {
    const model = await opened()
    const answer = (input: Input) => model.answer({ input, generation: {}, sample: 0 }, never)
    await expect(answer(greedy(ask('Hello?', [])))).resolves.toMatchObject({
      body: { text: expect.any(String) as string },
    })
    const broken = answer(greedy(ask('?', [add(Buffer.from('no picture'))])))
    await expect(broken).rejects.toMatchObject({ class: 'media', isRetryable: false })
  })
})

describe.skipIf(missing !== undefined)(`models that compare a picture with texts${reason}`, () => {
  const folder = join(import.meta.dirname, '../golden/zero-shot')
  const askAbout = (picture: Buffer, text: string): Input => ({
    ...likelihood(ask(text.slice(0, -3), [add(picture)]), text.slice(-3)),
  })

  test.each(['clip', 'siglip'])('scores of %s are those of PyTorch', async kind => {
    const golden = JSON.parse(await readFile(join(folder, kind, 'golden.json'), 'utf8')) as Record<
      string,
      Record<string, number>
    >
    const model = await open(join(folder, kind))
    onTestFinished(() => model.close?.())
    // The library resizes the grey picture, and one of its values differs by 1 of 255.
    for (const [name, limit] of Object.entries({ noise: 1e-5, red: 1e-5, grey: 0.01 })) {
      const picture = await readFile(join(folder, `${name}.png`))
      const scores = golden[name]!
      const bodies = await askAll(
        model,
        Object.keys(scores).map(text => askAbout(picture, text)),
      )
      expect(farthest(bodies, Object.values(scores))).toBeLessThan(limit)
    }
    const [input] = [askAbout(await readFile(join(folder, 'red.png')), 'a very long text '.repeat(10))]
    await expect(model.answer({ input, generation: {}, sample: 0 }, never)).rejects.toMatchObject({
      class: 'invalid_request',
      message: expect.stringMatching(/the text has \d+ tokens, and the model reads at most 24$/) as string,
    })
  })
})

describe.skipIf(missing !== undefined)(`models that turn texts into vectors${reason}`, () => {
  const pair = (first: string, second: string): Input => likelihood(ask(first, []), ` ${second}`)
  const cosines = async (model: Model, pairs: readonly (readonly [string, string, number])[]): Promise<number> =>
    farthest(
      await askAll(
        model,
        pairs.map(([first, second]) => pair(first, second)),
      ),
      pairs.map(([, , cosine]) => cosine),
    )

  test.each(['mean', 'cls', 'last_token'] as const)('cosines with pooling=%s are those of PyTorch', async pooling => {
    const folder = join(import.meta.dirname, '../golden/zero-shot/bert')
    const golden = JSON.parse(await readFile(join(folder, 'golden.json'), 'utf8')) as Record<
      string,
      readonly (readonly [string, string, number])[]
    >
    const model = await open(folder, 'fp32', pooling)
    onTestFinished(() => model.close?.())
    expect(await cosines(model, golden[pooling]!)).toBeLessThan(1e-5)
    const answer = (input: Input) => model.answer({ input, generation: {}, sample: 0 }, never)
    await expect(answer(pair('a cat', 'a very long text '.repeat(10)))).rejects.toThrow('the model reads at most 24')
    await expect(answer(pair('a cat', ' '))).rejects.toThrow('a similarity needs two texts, and one is empty')
    await expect(answer(greedy(ask('a cat', [])))).rejects.toMatchObject({ class: 'invalid_request' })
  })

  const data = process.env['PIPELINE_TEST_DATA']
  const lacking = data === undefined ? ' (skipped: there is no PIPELINE_TEST_DATA)' : ''
  test.skipIf(data === undefined)(`cosines of MiniLM are those of its README${lacking}`, async () => {
    const folder = await temporaryFolder()
    const source = join(data!, 'minilm-l6-v2-int8')
    await mkdir(join(folder, 'onnx'))
    for (const file of ['config.json', 'tokenizer.json']) await symlink(join(source, file), join(folder, file))
    await symlink(join(source, 'model.onnx'), join(folder, 'onnx/model_quantized.onnx'))
    await writeFile(join(folder, 'tokenizer_config.json'), '{"tokenizer_class": "BertTokenizer"}')
    const model = await open(folder, 'q8')
    onTestFinished(() => model.close?.())
    const known = [
      ['A man is playing a guitar.', 'Someone plays an acoustic guitar.', 0.799],
      ['A man is playing a guitar.', 'The stock market fell sharply today.', -0.05],
      ['The cat sits on the mat.', 'A kitten is resting on the rug.', 0.641],
      ['The cat sits on the mat.', 'The president signed the bill.', 0.015],
      ['How do I reset my password?', 'I forgot my login credentials.', 0.637],
    ] as const
    expect(await cosines(model, known)).toBeLessThan(0.02)
  })
})

test.skipIf(missing !== undefined || !hasFfmpeg)(
  `Whisper writes down what PyTorch does (needs the system package ffmpeg)${reason}`,
  async () => {
    const folder = join(import.meta.dirname, '../golden/whisper')
    const golden = JSON.parse(await readFile(join(folder, 'golden.json'), 'utf8')) as Record<string, string>
    const sounds = join(import.meta.dirname, '../../tasks/small_media/data/speech')
    const paths = new Map<string, string>()
    const openMediaFile = (digest: string) => Promise.resolve(makeLastingFile(paths.get(digest)!))
    const args = {
      dtype: 'fp32',
      device: 'cpu',
      threads: 1,
      language: undefined,
      pooling: undefined,
      workers: 1,
    } as const
    const model = await transformersJs.open({ model: folder, ...args }, { ...context, openMediaFile })
    onTestFinished(() => model.close?.())
    for (const [name, text] of Object.entries(golden)) {
      const media = add(await readFile(join(sounds, name)))
      paths.set(media, join(sounds, name))
      const input: Input = { type: 'generate_until', messages: [{ role: 'user', content: [{ type: 'audio', media }] }] }
      const { body } = await model.answer({ input, generation: { max_new_tokens: 24 }, sample: 0 }, never)
      expect(body.text).toBe(text)
    }
  },
)

test.skipIf(missing !== undefined)(`the program evaluates with it${reason}`, async () => {
  const root = join(import.meta.dirname, '../..')
  const store = join(await temporaryFolder(), 'store')
  const line = ['eval', '--tasks', 'shapes_vqa', '--model', 'transformers_js', '--limit', '10', '--store', store]
  const said = execFileSync(
    process.execPath,
    [join(root, 'dist/src/cli/bin.js'), ...line, '--model-args', `model=${tinyvlm}`],
    { encoding: 'utf8', cwd: root },
  )
  expect(said).toContain('10 answers')
  expect(said).toContain('failed 0')
})

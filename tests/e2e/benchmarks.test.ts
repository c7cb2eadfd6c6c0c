import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { runCli, type Ended } from '../support/cli.js'
import { fakeHub, type FakeHub, type FakeRepository } from '../support/fake-hub.js'
import { startFakeOpenai, type FakeOpenai, type SeenRequest } from '../support/fake-openai.js'
import { goldenBenchmark, type GoldenBenchmark } from '../support/golden-benchmark.js'
import { results } from '../support/own-task.js'
import { parquetOf } from '../support/parquet-table.js'
import { temporaryFolder } from '../support/store.js'
import { zipOf } from '../support/zip.js'

/** Docs of MMStar, DocVQA, MME, Video-MME, LibriSpeech, MathVerse and GSM8K, some with right answers. */
const benchmarks = {
  picture: goldenBenchmark('mmstar', 'mmstar', 7),
  document: goldenBenchmark('docvqa', 'docvqa_val', 3),
  submission: goldenBenchmark('docvqa', 'docvqa_test', 0),
  pairs: goldenBenchmark('mme', 'mme', 5),
  video: goldenBenchmark('videomme', 'videomme', 13),
  sound: goldenBenchmark('librispeech', 'librispeech_test_clean', 5),
  judged: goldenBenchmark('mathverse', 'mathverse_testmini', 0),
  fewShot: goldenBenchmark('gsm8k', 'gsm8k', 1),
} as const
const all: readonly GoldenBenchmark[] = Object.values(benchmarks)

const repository = (files: Readonly<Record<string, string | Uint8Array>>): FakeRepository => ({
  branches: { main: files },
})

/** A card that names the one configuration and the files of its splits. */
const card = (config: string, splits: readonly string[]): string =>
  [
    ...['---', 'configs:', `- config_name: ${config}`, '  data_files:'],
    ...splits.flatMap(split => [`  - split: ${split}`, `    path: ${config}/${split}-*`]),
    ...['---', ''],
  ].join('\n')

const file = (folder: string, split: string): string => `${folder}/${split}-00000-of-00001.parquet`

/** Each benchmark as its repository has it: configurations, splits, videos in an archive. */
const repositories = (): Readonly<Record<string, FakeRepository>> => {
  const { picture, document, submission, pairs, video, sound, judged, fewShot } = benchmarks
  const videos = [...new Set(video.docs.map(({ videoID }) => String(videoID)))]
  const train = fewShot.docs.map(doc => ({ ...doc, question: `Before: ${String(doc['question'])}` }))
  return {
    'Lin-Chen/MMStar': repository({ [file('data', 'val')]: parquetOf(picture.docs) }),
    'lmms-lab-encoder/DocVQA': repository({
      'README.md': card('DocVQA', ['validation', 'test']),
      [file('DocVQA', 'validation')]: parquetOf(document.docs),
      [file('DocVQA', 'test')]: parquetOf(submission.docs),
    }),
    'lmms-lab-encoder/MME': repository({ [file('data', 'test')]: parquetOf(pairs.docs) }),
    'lmms-eval/Video-MME': repository({
      [file('videomme', 'test')]: parquetOf(video.docs),
      'videos_chunked_01.zip': zipOf(
        Object.fromEntries(videos.map(name => [`data/${name}.mp4`, `\0\0\0\x18ftypmp42\0\0\0\0mp42isom${name}`])),
      ),
    }),
    'lmms-lab-audio/librispeech': repository({
      'README.md': card('librispeech_test_clean', ['librispeech_test_clean']),
      [file('librispeech_test_clean', 'librispeech_test_clean')]: parquetOf(sound.docs),
    }),
    'CaraJ/MathVerse-lmmseval': repository({
      'README.md': card('testmini', ['testmini']),
      [file('testmini', 'testmini')]: parquetOf(judged.docs),
    }),
    gsm8k: repository({
      'README.md': card('main', ['train', 'test']),
      [file('main', 'train')]: parquetOf(train),
      [file('main', 'test')]: parquetOf(fewShot.docs),
    }),
  }
}

interface ChatBody {
  readonly model: string
  readonly messages: readonly { readonly content: string | readonly ChatPart[] }[]
}

interface ChatPart {
  readonly text?: string
  readonly image_url?: { readonly url: string }
  readonly input_audio?: { readonly data: string }
}

/** Finds the golden answer of a request by the mark of its media, or by its question at the end. */
function answerTo({ text: json }: SeenRequest): string {
  const { model, messages } = JSON.parse(json) as ChatBody
  if (model === 'judge') return '1'
  const parts = messages.flatMap(({ content }) => (typeof content === 'string' ? [{ text: content }] : content))
  const text = parts.map(part => part.text ?? '').join('')
  const media = parts
    .map(({ image_url, input_audio }: ChatPart) => image_url?.url.split(',').at(-1) ?? input_audio?.data ?? '')
    .map(data => Buffer.from(data, 'base64').toString('latin1'))
  const [, task, index] = /\[([a-z_]+)\/(\d+)\]$/.exec(media.join('')) ?? []
  if (task !== undefined) return all.find(one => one.task === task)?.answers[Number(index)] ?? 'no such doc'
  const { docs, answers } = benchmarks.fewShot
  const last = docs
    .map((doc, at) => ({ at: text.lastIndexOf(`${String(doc['question'])}\n`), answer: answers[at] ?? '' }))
    .reduce((a, b) => (b.at > a.at ? b : a))
  return last.at < 0 ? 'no such doc' : last.answer
}

/** A model that takes videos, and knows the answer to each question about one. */
const seer = `import { defineBackend } from 'pipeline'
const answers: Record<string, string> = ${JSON.stringify(
  Object.fromEntries(
    benchmarks.video.docs.map(({ question }, index) => [String(question), benchmarks.video.answers[index]]),
  ),
)}
export const seer = defineBackend({
  id: 'seer',
  summary: 'knows answers',
  args: {},
  accepts: ['text', 'video'],
  requests: ['generate_until'],
  code: { files: [] },
  concurrency: 4,
  identify: () => Promise.resolve({ backend: 'seer', args: {} }),
  open: () =>
    Promise.resolve({
      answer({ input }) {
        const parts = input.messages.flatMap(({ content }) => content)
        const text = parts.map(part => (part.type === 'text' ? part.text : '')).join('')
        const known = Object.entries(answers).find(([question]) => text.includes(question + '\\n'))
        const isShown = parts.some(part => part.type === 'video')
        return Promise.resolve({ body: { text: isShown ? (known?.[1] ?? '') : 'no video', finishReason: 'stop' as const } })
      },
    }),
})
`

interface Place {
  readonly hub: FakeHub
  readonly server: FakeOpenai
  /** By the server. */
  readonly evaluate: (tasks: string, place?: Elsewhere) => Promise<Ended>
  /** By the model that takes videos. */
  readonly watch: (tasks: string, place?: Elsewhere) => Promise<Ended>
}

interface Elsewhere {
  readonly store?: string
  readonly isOffline?: boolean
}

async function place(): Promise<Place> {
  const folder = await temporaryFolder()
  const hub = await fakeHub(repositories())
  const server = await startFakeOpenai({ answer: answerTo })
  onTestFinished(() => server.close())
  await writeFile(join(folder, 'seer.ts'), seer)
  const base = `base_url=${server.url},api_key=none`
  const line =
    (...model: readonly string[]): Place['evaluate'] =>
    (tasks, { store = 'store', isOffline = false } = {}) =>
      runCli(['eval', '--tasks', tasks, '--json', '--store', join(folder, store), ...model], {
        cwd: folder,
        env: {
          ...{ HF_ENDPOINT: hub.url, PIPELINE_HUB_CACHE: join(folder, 'hub'), HOME: folder },
          ...(isOffline ? { HF_HUB_OFFLINE: '1' } : {}),
        },
      })
  const judge = ['--judge-model', 'openai', '--judge-args', `model=judge,${base}`]
  return {
    hub,
    server,
    evaluate: line('--model', 'openai', '--model-args', `model=m,${base}`, ...judge),
    watch: line('--plugin', './seer.ts', '--model', 'seer'),
  }
}

/** Every metric of the benchmarks has its golden value, over all docs. */
function expectGolden(run: Ended, golden: readonly GoldenBenchmark[]): void {
  expect(run, run.stderr).toMatchObject({ code: 0 })
  const found = results(run).tasks
  for (const { task, expected } of golden) {
    const numbers = Object.values(found[task] ?? {})
    expect(
      numbers.map(({ coverage }) => coverage),
      task,
    ).toEqual(numbers.map(() => 1))
    for (const [metric, value] of Object.entries(expected))
      expect(found[task]?.[metric]?.value, `${task} ${metric}`).toBeCloseTo(value, 9)
  }
}

test('evaluates benchmarks of every kind from the Hub with the golden numbers', async () => {
  const { evaluate, server } = await place()
  const tasks = 'mmstar,docvqa,mme,librispeech_test_clean,mathverse_testmini,gsm8k'
  const { video, ...others } = benchmarks

  expectGolden(await evaluate(tasks), Object.values(others))

  const compared = Object.fromEntries(all.map(({ task, expected }) => [task, Object.keys(expected).length]))
  expect(compared).toEqual({
    ...{ mmstar: 7, docvqa_val: 1, docvqa_test: 0, mme: 2, [video.task]: 1 },
    ...{ librispeech_test_clean: 1, mathverse_testmini: 1, gsm8k: 2 },
  })
  const examples = server.seen.map(({ text }) => text.split('Question: Before: ').length - 1)
  expect(examples.filter(count => count > 0)).toEqual(benchmarks.fewShot.docs.map(() => 5))
  expect(server.seen.map(answerTo)).not.toContain('no such doc')
})

test('reads videos from the archive of their repository, and in another store without a request', async () => {
  const { watch, hub } = await place()

  expectGolden(await watch('videomme'), [benchmarks.video])
  const asked = hub.asked.length
  expectGolden(await watch('videomme', { store: 'another', isOffline: true }), [benchmarks.video])

  expect(hub.asked.length).toBe(asked)
  expect(hub.downloads.filter(({ path }) => path.endsWith('.zip'))).toHaveLength(1)
})

test('evaluates files downloaded once from the Hub offline, as the same run', async () => {
  const { evaluate, hub, server } = await place()
  const first = await evaluate('docvqa')
  expect(first, first.stderr).toMatchObject({ code: 0 })
  const asked = [hub.asked.length, server.stats().requests]

  const again = await evaluate('docvqa', { isOffline: true })

  expect(again, again.stderr).toMatchObject({ code: 0 })
  expect(results(again).run).toEqual(results(first).run)
  expect([hub.asked.length, server.stats().requests]).toEqual(asked)

  const elsewhere = await evaluate('docvqa', { isOffline: true, store: 'another' })

  expect(elsewhere, elsewhere.stderr).toMatchObject({ code: 0 })
  expect(results(elsewhere)).toMatchObject({ run: results(first).run, tasks: results(first).tasks })
  expect(hub.asked.length).toBe(asked[0])
})

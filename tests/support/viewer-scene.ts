/** A store with two runs of pictures, a sound, a video and hostile answers, evaluated by the built program against a fake server. */
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp from 'sharp'
import { root, runCli, type Ended } from './cli.js'
import { startFakeOpenai, type SeenRequest } from './fake-openai.js'

export const colours = ['red', 'green', 'blue', 'orange', 'purple', 'teal'] as const
const shapes = ['circle', 'square', 'triangle', 'star'] as const

/** Answers that would run, load or hide something where they were taken for markup. Each sets `window.attacked` if it runs. */
export const hostileAnswers: readonly string[] = [
  '<script>window.attacked = 1</script>',
  '<img src=x onerror="window.attacked = 1">',
  '<svg onload="window.attacked = 1"><script>window.attacked = 1</script></svg>',
  '[click](javascript:window.attacked=1) <a href="javascript:window.attacked=1">click</a>',
  '</script><script>window.attacked = 1</script><!-- \u2028 \u2029 -->',
  '\u001b[31mred\u001b[0m \u001b]0;title\u0007 \u202egnp.exe\u202c \u2066hidden\u2069 \u0000 \u0008',
  '"><iframe srcdoc="<script>parent.attacked = 1</script>"></iframe>',
]

export interface ViewerScene {
  readonly folder: string
  readonly store: string
  /** The names of the runs: the second one is better. */
  readonly runs: readonly [string, string]
  /** Flags that let jobs of a viewer use the tasks and the server of this scene. */
  readonly allowFlags: readonly string[]
  /** Flags that evaluate with a model of the fake server. `more` are further arguments of the model. */
  readonly modelFlags: (model: string, more?: string) => readonly string[]
  run(...args: string[]): Promise<Ended>
  close(): Promise<void>
}

/** How the scene is made. */
export interface SceneOptions {
  /** The number of docs of the task of pictures. */
  readonly docs?: number
  /** Answers for further models of the server. Undefined for the others. */
  readonly answer?: (request: SeenRequest) => string | object | undefined
}

/** Evaluates the scene. */
export async function viewerScene({ docs = 60, answer }: SceneOptions = {}): Promise<ViewerScene> {
  const folder = await mkdtemp(join(tmpdir(), 'viewer-test-'))
  await writeTasks(folder, docs)
  const server = await startFakeOpenai({ answer: request => answer?.(request) ?? answerTo(request), keepBodies: true })
  const store = join(folder, 'store')
  const run = (...args: string[]): Promise<Ended> => runCli([...args, '--store', store], { cwd: folder })
  const modelFlags = (model: string, more = ''): readonly string[] => [
    ...['--model', 'openai', '--model-args'],
    `model=${model},base_url=${server.url},api_key=sk-none${more}`,
  ]
  try {
    const names: string[] = []
    for (const model of ['base', 'tuned']) {
      const ended = await run('eval', ...modelFlags(model), '--tasks', './shapes,./media,./hostile', '--json')
      if (ended.code !== 0) throw new Error(`the scene could not be evaluated: ${ended.stderr}`)
      names.push((JSON.parse(ended.stdout) as { readonly run: { readonly name: string } }).run.name)
    }
    const [first = '', second = ''] = names
    return {
      folder,
      store,
      runs: [first, second],
      modelFlags,
      allowFlags: ['--allow-dir', folder, '--allow-url', server.url],
      run,
      close: async () => {
        await server.close()
        await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
      },
    }
  } catch (error) {
    await server.close()
    await rm(folder, { recursive: true, force: true })
    throw error
  }
}

/** The model `base` errs in a third of the pictures, `tuned` in a sixth. */
function answerTo({ text }: SeenRequest): string {
  const body = JSON.parse(text) as {
    readonly model: string
    readonly messages: readonly { readonly content: unknown }[]
  }
  const asked = JSON.stringify(body.messages)
  const hostile = /hostile (\d+)/.exec(asked)?.[1]
  if (hostile !== undefined) return hostileAnswers[Number(hostile)] ?? `${'long '.repeat(2_000_000)}end`
  const number = Number(/Picture (\d+)/.exec(asked)?.[1] ?? 0)
  if (asked.includes('What is heard')) return 'The recording holds one tone of 440 hertz: a tone.'
  if (asked.includes('What is shown')) return body.model === 'tuned' ? 'A test pattern.' : 'A street at night.'
  const errs = number % (body.model === 'tuned' ? 6 : 3) === 1
  const colour = colours[(number + (errs ? 1 : 0)) % colours.length] ?? ''
  if (number % 17 === 5) return ''
  return number % 4 === 0
    ? `It shows one shape on a light ground. Its colour is **${colour}**.\n\nAnswer: ${colour}`
    : colour
}

async function writeTasks(folder: string, docs: number): Promise<void> {
  for (const name of ['shapes/img', 'media', 'hostile']) await mkdir(join(folder, name), { recursive: true })
  const rows = Array.from({ length: docs }, (_, number) => ({
    id: `shape-${number}`,
    question: `Picture ${number}: what colour is the shape?`,
    image: `img/${number}.png`,
    answer: colours[number % colours.length],
    shape: shapes[number % shapes.length],
  }))
  for (const [number, { image, answer = '', shape = '' }] of rows.entries())
    await writeFile(join(folder, 'shapes', image), await drawn(number, answer, shape))
  await writeTask(folder, 'shapes', rows, [
    'doc_to_visual: image',
    'breakdown: shape',
    'filter_list:',
    '  - name: colour',
    '    filter: [{function: regex, regex_pattern: "(red|green|blue|orange|purple|teal)", group_select: -1}, {function: take_first}]',
  ])
  await copyFile(join(root, 'tests/fixtures/clip.mp4'), join(folder, 'media/clip.mp4'))
  await writeFile(join(folder, 'media/tone.wav'), tone(2))
  await writeTask(
    folder,
    'media',
    [
      { id: 'heard', question: 'What is heard?', image: 'tone.wav', answer: 'a tone' },
      { id: 'shown', question: 'What is shown?', image: 'clip.mp4', answer: 'A test pattern.' },
    ],
    ['doc_to_visual: image'],
  )
  const hostile = Array.from({ length: hostileAnswers.length + 1 }, (_, number) => ({
    id: number === 0 ? '<b onclick="window.attacked=1">id</b>' : `hostile-${number}`,
    question: `hostile ${number} <script>window.attacked = 1</script>`,
    answer: '<i>no</i>',
  }))
  await writeTask(folder, 'hostile', hostile, [])
}

export async function writeTask(
  folder: string,
  name: string,
  rows: readonly object[],
  more: readonly string[],
): Promise<void> {
  await writeFile(join(folder, name, 'docs.jsonl'), rows.map(row => `${JSON.stringify(row)}\n`).join(''))
  const yaml = [
    `task: ${name}`,
    'dataset_path: ./docs.jsonl',
    'doc_to_text: "{{question}}"',
    'doc_to_target: answer',
    ...(more.some(line => line.startsWith('metric_list'))
      ? []
      : ['metric_list: [{metric: exact_match, ignore_case: true}]']),
    ...more,
  ]
  await writeFile(join(folder, name, `${name}.yaml`), `${yaml.join('\n')}\n`)
}

const outlines: Readonly<Record<string, string>> = {
  circle: '<circle cx="160" cy="120" r="70"/>',
  square: '<rect x="95" y="55" width="130" height="130" rx="8"/>',
  triangle: '<path d="M160 45 240 190H80z"/>',
  star: '<path d="M160 40l22 56 60 4-46 38 15 58-51-32-51 32 15-58-46-38 60-4z"/>',
}

/** No two pictures are equal. */
const drawn = (number: number, colour: string, shape: string): Promise<Buffer> =>
  sharp(
    Buffer.from(
      `<svg xmlns="http://www.w3.org/2000/svg" width="320" height="240"><rect width="320" height="240" fill="#eef1f5"/><g fill="${colour}" transform="rotate(${number} 160 120)">${outlines[shape] ?? ''}</g></svg>`,
    ),
  )
    .png()
    .toBuffer()

/** A tone of 440 Hz that swells and fades, as WAV: 16 bits, 8,000 samples a second. */
function tone(seconds: number): Buffer {
  const rate = 8000
  const samples = rate * seconds
  const data = Buffer.alloc(44 + samples * 2)
  data.write('RIFF', 0)
  data.writeUInt32LE(36 + samples * 2, 4)
  data.write('WAVEfmt ', 8)
  data.writeUInt32LE(16, 16)
  data.writeUInt16LE(1, 20)
  data.writeUInt16LE(1, 22)
  data.writeUInt32LE(rate, 24)
  data.writeUInt32LE(rate * 2, 28)
  data.writeUInt16LE(2, 32)
  data.writeUInt16LE(16, 34)
  data.write('data', 36)
  data.writeUInt32LE(samples * 2, 40)
  for (let place = 0; place < samples; place += 1) {
    const loudness = Math.sin((Math.PI * place) / samples)
    data.writeInt16LE(Math.round(20_000 * loudness * Math.sin((2 * Math.PI * 440 * place) / rate)), 44 + place * 2)
  }
  return data
}

import { readFile, writeFile, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import sharp from 'sharp'
import { onTestFinished } from 'vitest'
import { runCli, type Ended } from './cli.js'
import { spawnFakeOpenai, type FakeOpenaiProcess } from './fake-openai-process.js'
import { temporaryFolder } from './store.js'

export const picture = (red: number): Promise<Buffer> =>
  sharp({ create: { width: 8, height: 8, channels: 3, background: { r: red, g: 10, b: 200 } } })
    .png()
    .toBuffer()

export const yaml = `task: mytask
dataset_path: ./questions.jsonl
doc_to_visual: image
doc_to_text: "{{question}}\\nAnswer with one word."
doc_to_target: answer
metric_list: [{metric: exact_match, ignore_case: true}]
`

export interface OwnTask {
  /** The working directory, which contains `mytask/`. */
  readonly folder: string
  readonly server: FakeOpenaiProcess
  /** The flags that evaluate `./mytask` with the server. */
  readonly line: readonly string[]
  run(...args: string[]): Promise<Ended>
  requests(): Promise<number>
  write(name: string, content: string | Uint8Array): Promise<void>
  /** Replaces a text in a file of the task. */
  edit(name: string, from: string, to: string): Promise<void>
}

/** Creates a user's task with six questions about six images in a folder, and a server that always answers `blue`. */
export async function ownTask(serverFlags: readonly string[] = ['--text', 'blue']): Promise<OwnTask> {
  const folder = await temporaryFolder()
  const server = await spawnFakeOpenai(serverFlags)
  onTestFinished(() => server.stop())
  await mkdir(join(folder, 'mytask/img'), { recursive: true })
  const write = (name: string, content: string | Uint8Array): Promise<void> =>
    writeFile(join(folder, 'mytask', name), content)
  const docs = [0, 1, 2, 3, 4, 5].map(index => ({
    id: `q${index}`,
    question: `What colour is picture ${index}?`,
    image: `img/${index}.png`,
    answer: index < 4 ? 'Blue' : 'Red',
    kind: index % 2 === 0 ? 'even' : 'odd',
  }))
  for (const index of docs.keys()) await write(`img/${index}.png`, await picture(40 * index))
  await write('questions.jsonl', docs.map(doc => JSON.stringify(doc)).join('\n'))
  await write('mytask.yaml', yaml)
  const line = ['--model', 'openai', '--model-args', `model=m,base_url=${server.url},api_key=sk-very-secret`]
  return {
    folder,
    server,
    line: ['eval', ...line, '--tasks', './mytask'],
    run: (...args) => runCli(args, { cwd: folder }),
    requests: async () => (await server.stats()).requests,
    write,
    async edit(name, from, to) {
      const text = await readFile(join(folder, 'mytask', name), 'utf8')
      if (!text.includes(from)) throw new Error(`${name} does not hold ${from}`)
      await write(name, text.replaceAll(from, to))
    },
  }
}

interface ResultNumber {
  readonly value: number
  readonly n: number
  readonly coverage: number
}

interface Results {
  readonly run: { readonly name: string; readonly judgement: number }
  readonly tasks: Readonly<Record<string, Readonly<Record<string, ResultNumber>>>>
}

/** Parses the output of `report RUN --json` and similar commands. */
export const results = ({ stdout }: Ended): Results => JSON.parse(stdout) as Results

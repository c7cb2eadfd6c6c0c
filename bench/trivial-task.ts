import { createWriteStream } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

/** A task in a folder, whose metric can be changed. */
export interface TrivialTask {
  readonly name: string
  /** The folder for `--include-path`. */
  readonly folder: string
  /** Writes the rules again with this option of the metric. */
  readonly score: (option: string) => Promise<void>
}

/** Creates a task of `docs` short questions in a JSONL file, scored by a string metric. */
export async function trivialTask(parent: string, docs: number): Promise<TrivialTask> {
  const name = `trivial_${docs}`
  const folder = join(parent, name)
  await mkdir(folder, { recursive: true })
  await pipeline(Readable.from(lines(docs)), createWriteStream(join(folder, 'docs.jsonl')))
  const score = (option: string): Promise<void> => writeFile(join(folder, `${name}.yaml`), rules(name, option))
  await score('ignore_case: true')
  return { name, folder, score }
}

function* lines(docs: number): Generator<string> {
  for (let id = 0; id < docs; id += 1)
    yield `${JSON.stringify({ id, question: `What is ${id} plus ${id % 97}?`, answer: String(id + (id % 97)) })}\n`
}

const rules = (name: string, option: string): string => `task: ${name}
dataset_path: docs.jsonl
output_type: generate_until
doc_to_text: "{{question}}"
doc_to_target: "{{answer}}"
generation_kwargs:
  max_new_tokens: 16
metric_list:
  - metric: exact_match
    ${option}
`

/** The command line that evaluates the task with the in-process model. */
export const evalLine = (task: Pick<TrivialTask, 'name' | 'folder'>, store: string): readonly string[] => [
  ...['eval', '--model', 'dummy', '--tasks', task.name, '--include-path', task.folder, '--store', store, '--quiet'],
]

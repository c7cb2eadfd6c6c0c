import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Writes a task of `docs` short questions to a folder. For two thirds of them, `dummy` echoes the right answer. @returns its YAML file */
export async function writeTextTask(folder: string, docs: number, name = 'echoes'): Promise<string> {
  await mkdir(folder, { recursive: true })
  const rows = Array.from({ length: docs }, (_, index) =>
    JSON.stringify({ question: `question ${index}`, answer: index % 3 === 0 ? 'another' : `question ${index}` }),
  )
  await writeFile(join(folder, 'docs.jsonl'), rows.map(row => `${row}\n`).join(''))
  const file = join(folder, `${name}.yaml`)
  await writeFile(
    file,
    `task: ${name}
dataset_path: ./docs.jsonl
doc_to_text: "{{question}}"
doc_to_target: answer
output_type: generate_until
generation_kwargs:
  max_new_tokens: 8
metric_list:
  - metric: exact_match
`,
  )
  return file
}

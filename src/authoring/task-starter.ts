import { writeFile } from 'node:fs/promises'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { makeFolder } from '../../cache/make-folder.js'
import { writtenYaml } from './data-task-text.js'
import { refuseStorePath } from '../../cache/output-path.js'
import { stringify } from 'yaml'
import { PipelineError } from '../../base/errors/errors.js'
import { ownUrl } from '../../stages/input/tasks/task-value.js'

/**
 * Writes a starter task that runs at once: YAML, functions, data and a test.
 *
 * @param folder the parent of the new task folder
 * @param options `isCode`: in TypeScript, in one file beside its data. @default false
 * @returns the files that were written
 * @throws PipelineError if the name is invalid, or the folder exists already
 */
export async function writeStarter(
  name: string,
  folder: string,
  { isCode = false }: { readonly isCode?: boolean } = {},
): Promise<readonly string[]> {
  const path = findNewFolder(name, folder)
  const files: Readonly<Record<string, string>> = isCode
    ? { [`${name}.task.ts`]: code(name), 'data/test.jsonl': data }
    : {
        [`${name}.yaml`]: yaml(name),
        'utils.ts': utils,
        'data/test.jsonl': data,
        [`${name}.test.mjs`]: test(name),
      }
  for (const [file, text] of Object.entries(files)) {
    makeFolder(join(path, file, '..'))
    await writeFile(join(path, file), text)
  }
  return Object.keys(files).map(file => join(path, file))
}

/** Returns the folder of a new task. @throws PipelineError if the name is invalid, or the folder exists already or is a part of a store */
export function findNewFolder(name: string, folder: string): string {
  if (!/^[a-z][a-z0-9_-]*$/i.test(name))
    throw new PipelineError('usage', `task "${name}": a name is letters, digits, _ and -, beginning with a letter`)
  const path = join(folder, name)
  if (existsSync(path)) throw new PipelineError('usage', `task "${name}": ${path} is there already`)
  refuseStorePath({ path, label: `task "${name}"` })
  return path
}

const yaml = (name: string): string => `# What is asked, and where it comes from. All keys: docs/tasks/keys.md
task: ${stringify(name, writtenYaml).trim()}
dataset_path: ./data
test_split: test
output_type: generate_until
doc_to_text: !function utils.question
doc_to_target: answer
generation_kwargs:
  max_new_tokens: 16
metric_list:
  - metric: exact_match
    ignore_case: true
    ignore_punctuation: true
lmms_eval_specific_kwargs:
  default:
    post_prompt: "\\nAnswer with one word."
metadata:
  version: 1.0
`

const utils = `import type { Doc, TaskKwargs } from 'pipeline'

/** The question, with what the YAML puts after it for the model. */
export function question(doc: Doc, kwargs: TaskKwargs): string {
  return \`\${String(doc['question'])}\${String(kwargs['post_prompt'] ?? '')}\`
}
`

/** The schema also checks the rows, so that a misspelt field ends the run with its row. */
const code = (name: string): string => `// pipeline eval ${name}.task.ts --model dummy
import { defineTask, jsonl, z } from 'pipeline'

const schema = z.object({ id: z.string(), question: z.string(), answer: z.string() })

export const ${identifier(name)} = defineTask({
  name: '${name}',
  module: ${ownUrl},
  dataset: jsonl('./data/test.jsonl', { schema }),
  prompt: doc => \`\${doc.question}\\nAnswer with one word.\`,
  target: doc => doc.answer,
  generation: { maxNewTokens: 16 },
  metrics: {
    exact: ({ text, target }) => plain(text) === plain(target),
  },
})

/** An answer without case, white space and the full stop at its end. */
const plain = (text: string): string => text.trim().toLowerCase().replace(/\\.$/, '')
`

const identifier = (name: string): string =>
  name.replace(/[-_]+(\w?)/g, (_, letter: string) => letter.toUpperCase()) || 'task'

const data = [
  { id: 'sky', question: 'What colour is a clear sky at noon?', answer: 'blue' },
  { id: 'legs', question: 'How many legs has a spider?', answer: 'eight' },
  { id: 'opposite', question: 'What is the opposite of hot?', answer: 'cold' },
]
  .map(doc => `${JSON.stringify(doc)}\n`)
  .join('')

const test = (name: string): string => `// node --test ${name}/
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { test } from 'node:test'

/** The program: another place for it may be given as PIPELINE. */
const pipeline = process.env.PIPELINE ?? 'pipeline'

test('the task asks what it should, and tells right from wrong', () => {
  const args = ['tasks', 'validate', import.meta.dirname, '--docs', '3', '--json']
  const { problems, trials } = JSON.parse(execFileSync(pipeline, args, { encoding: 'utf8' }))
  assert.deepEqual(problems, [])
  const [{ docs, numbers }] = trials
  assert.equal(docs[0].prompt, 'What colour is a clear sky at noon?\\nAnswer with one word.')
  assert.deepEqual(numbers, [{ metric: 'exact_match', perfect: 1, wrong: 0 }])
})
`

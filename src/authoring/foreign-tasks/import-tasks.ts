/** Writes tasks from the tests of other tools. */
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { basename, extname, join } from 'node:path'
import { stringify } from 'yaml'
import { z } from 'zod'
import { checkFields } from '../../../base/errors/check-fields.js'
import { PipelineError } from '../../../base/errors/errors.js'
import { option } from '../../../base/errors/option-words.js'
import { shownPath } from '../../../base/files/shown-path.js'
import { isList, isObject } from '../../../base/values/canonical-json.js'
import type { JsonObject } from '../../../cache/records.js'
import { makeFolder } from '../../../cache/make-folder.js'
import { refuseStorePath } from '../../../cache/output-path.js'
import type { ForeignTests } from './foreign-tests.js'
import { readOpenaiEvals } from './openai-evals.js'
import { readPromptfooConfig } from './promptfoo-config.js'
import { checksCode, messagesCode } from './written-code.js'

/** The tasks that were written. */
export interface ImportedTasks {
  readonly folder: string
  readonly tasks: readonly string[]
  readonly docs: number
  /** Parts of the file that are not translated, each with its line. */
  readonly left: readonly string[]
}

/**
 * Writes the tests of a promptfoo configuration (YAML, JSON), or samples of OpenAI's evals (JSONL), as tasks in a new folder, one for each prompt.
 *
 * @param options `dir`: the parent of the new folder. @default the working folder `name`: the name of the folder and its tasks. @default made from
 * the file's name
 * @throws PipelineError if the file is damaged, nothing can be translated, or the folder exists already
 */
export async function importTasks(
  file: string,
  options: { readonly dir?: string; readonly name?: string } = {},
): Promise<ImportedTasks> {
  checkFields(options, { dir: z.string().optional(), name: z.string().optional() })
  const { dir = '.', name = makeName(file) } = options
  if (!existsSync(file)) throw new PipelineError('usage', `no file ${shownPath(file)}`)
  const folder = join(dir, name)
  if (existsSync(folder)) throw new PipelineError('usage', `${shownPath(folder)} is there already. Give another name.`)
  refuseStorePath({ path: folder, label: option('dir', dir) })
  const tests = await (file.endsWith('.jsonl') ? readOpenaiEvals(file) : readPromptfooConfig(file))
  const { prompts, rows, hasChecks, left } = tests
  const tasks = prompts.map((_, index) => (prompts.length === 1 ? name : `${name}_${index + 1}`))
  makeFolder(folder)
  await writeFile(join(folder, 'docs.jsonl'), rows.map(row => `${JSON.stringify(row)}\n`).join(''))
  await writeFile(join(folder, 'utils.ts'), hasChecks ? checksCode : messagesCode)
  for (const [index, prompt] of prompts.entries())
    await writeFile(join(folder, `${tasks[index]}.yaml`), formatTask(tasks[index] ?? name, prompt, tests))
  return { folder, tasks, docs: rows.length, left }
}

function formatTask(task: string, prompt: string | undefined, { hasChecks, rows }: ForeignTests): string {
  const facts = ['latency', 'cost'].filter(fact => rows.some(row => hasCheck(row, fact)))
  const keys = {
    ...{ task, dataset_path: './docs.jsonl', output_type: 'generate_until' },
    ...(facts.length > 0 && { score_attempts: facts }),
  }
  const promptText =
    prompt === undefined ? 'doc_to_messages: !function utils.messages\n' : stringify({ doc_to_text: prompt })
  const scored = hasChecks
    ? `process_results: !function utils.score\n${stringify({ metric_list: ['pass', 'score'].map(metric => ({ metric, range: [0, 1] })) })}`
    : stringify({ doc_to_target: 'target', metric_list: [{ metric: 'exact_match' }, { metric: 'contains' }] })
  return `${stringify(keys)}${promptText}${scored}`
}

const hasCheck = ({ checks }: JsonObject, type: string): boolean =>
  isList(checks) && checks.some(check => isObject(check) && [type, `not-${type}`].some(name => name === check['type']))

/** The name of a file without its ending, with other characters than letters, digits, `_` and `-` replaced. */
const makeName = (file: string): string =>
  basename(file, extname(file))
    .replace(/[^a-z0-9_-]+/gi, '_')
    .replace(/^[^a-z]+/i, '') || 'imported'

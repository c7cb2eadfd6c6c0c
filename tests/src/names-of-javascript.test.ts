import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parseConfig } from '../../src/config/file/config-file.js'
import { limitFlag } from '../../src/config/values/selection.js'
import { evaluate } from '../../src/index.js'
import { temporaryFolder } from '../support/store.js'

/** Properties of every JavaScript object, or names with a special meaning. Here they are ordinary user names. */
const names = ['constructor', '__proto__', 'toString'] as const
const plain = 'plainword'

/** One task of each form, with NAME wherever a user's name is looked up. */
const forms = {
  'a task with its metric, filter, columns, labels and keyword arguments': {
    yaml: `task: NAME
dataset_path: ./docs.jsonl
doc_to_text: "{{NAME}}"
doc_to_target: gold
output_type: generate_until
breakdown: [label, NAME]
generation_kwargs: {max_new_tokens: 8, NAME: 1}
filter_list: [{name: NAME, filter: [{function: regex, regex_pattern: "(.+)"}]}]
metric_list: [{metric: exact_match, name: NAME}]
`,
    docs: [
      '{"NAME": "a", "gold": "a", "label": "NAME"}',
      '{"NAME": "b", "gold": "a", "label": "NAME"}',
      '{"NAME": "a", "gold": "a", "label": "zzz"}',
    ],
  },
  'values by a function, and docs that are clustered': {
    yaml: `task: NAME
dataset_path: ./docs.jsonl
doc_to_text: NAME
doc_to_target: gold
output_type: generate_until
cluster_key: NAME
process_results: !function utils.score
metric_list: [{metric: NAME}, {metric: mine}]
`,
    docs: ['{"NAME": "a", "gold": "a"}', '{"NAME": "b", "gold": "a"}', '{"NAME": "c", "gold": "c"}'],
    utils: `export const score = (doc: any, [said]: any) =>
  ({ mine: said === doc.gold ? 1 : 0, ...(said === 'a' ? { ['NAME']: 1 } : {}) })`,
  },
  'an unknown metric, filter and aggregation': {
    yaml: `task: NAME
dataset_path: ./docs.jsonl
doc_to_text: "{{text}}"
doc_to_target: text
filter_list: [{name: x, filter: [{function: NAME}]}]
metric_list: [{metric: NAME}, {metric: exact_match, aggregation: NAME}]
`,
    docs: ['{"text": "a"}'],
  },
  'an unknown key': {
    yaml: `task: NAME\nNAME: 1\ndataset_path: ./docs.jsonl\ndoc_to_text: "{{text}}"\ndoc_to_target: text\n`,
    docs: ['{"text": "a"}'],
  },
  'a column that is not there': {
    yaml: `task: t\ndataset_path: ./docs.jsonl\ndoc_to_text: "{{NAME}}"\ndoc_to_target: text\n`,
    docs: ['{"text": "a"}'],
  },
  'a field that some docs do not have': {
    yaml: `task: t
dataset_path: ./docs.jsonl
doc_to_text: "{{text}}{% if NAME is defined %}!{% endif %}{{ one.NAME | default('-') }}"
doc_to_target: text
breakdown: [NAME]
`,
    docs: ['{"text": "a", "one": {"NAME": 1}, "NAME": "x"}', '{"text": "b", "one": {"x": 2}}'],
  },
  'a column of a table': {
    yaml: `task: t\ndataset_path: ./docs.csv\ndoc_to_text: "{{NAME}}"\ndoc_to_target: gold\nbreakdown: [NAME]\n`,
    docs: [],
    csv: 'NAME,gold\nNAME,NAME\nzzz,a\n',
  },
} as const

interface Form {
  readonly yaml: string
  readonly docs: readonly string[]
  readonly utils?: string
  readonly csv?: string
}

/** The outcome of a form: its numbers or its message, with the name replaced by NAME. */
async function outcome(form: Form, name: string): Promise<unknown> {
  const folder = join(await temporaryFolder(), 'x')
  await mkdir(folder)
  const named = (text: string): string => text.replaceAll('NAME', name)
  const renamed = (text: string): string => text.replaceAll(folder, '').replaceAll(name, 'NAME')
  await writeFile(join(folder, 'task.yaml'), named(form.yaml))
  await writeFile(join(folder, 'docs.jsonl'), named(form.docs.join('\n')))
  if (form.csv !== undefined) await writeFile(join(folder, 'docs.csv'), named(form.csv))
  if (form.utils !== undefined) await writeFile(join(folder, 'utils.ts'), named(form.utils))
  try {
    const limit = JSON.parse(named('{"NAME": 2}')) as Record<string, number>
    const tasks = [join(folder, 'task.yaml')]
    const run = await evaluate({ store: join(folder, 'store'), model: 'dummy', tasks, limit })
    const docs: unknown[] = []
    for await (const { answers, score } of run.scores()) docs.push([answers.map(({ text }) => text), score])
    const told = [run.judgement?.aggregates, docs, run.failures]
    return JSON.parse(renamed(JSON.stringify(told)))
  } catch (error) {
    // A longer name shifts columns and changes suggestions, which are removed.
    return renamed(String(error)).replaceAll(/:\d+:\d+|\s+Did you mean "\w+"\?/g, '')
  }
}

describe.each(Object.entries<Form>(forms))('%s', (_form, form) => {
  let expected: Promise<unknown> | undefined

  test.each(names)('treats %s like any other name', async name => {
    expect(await outcome(form, name)).toEqual(await (expected ??= outcome(form, plain)))
  })
})

describe.each(names)('%s', name => {
  test('is an unknown key of a configuration', () => {
    const messageFor = (key: string): string => {
      try {
        parseConfig(`model: dummy\ntasks: [x]\n${key}: 1\n`, 'run.yaml')
        return 'nothing is wrong'
      } catch (error) {
        return String(error).replaceAll(key, 'NAME')
      }
    }
    expect(messageFor(name)).toBe(messageFor(plain))
  })

  test('is a task that --limit can name', () => {
    expect(Object.entries(limitFlag(`${name}=3,other=2`))).toEqual([
      [name, 3],
      ['other', 2],
    ])
  })

  test('is not an argument of a model', async () => {
    const messageFor = async (argument: string): Promise<unknown> => {
      const folder = await temporaryFolder()
      const asked = { store: join(folder, 'store'), tasks: [], modelArgs: JSON.parse(`{"${argument}": 1}`) as object }
      return evaluate({ ...asked, model: 'dummy' } as Parameters<typeof evaluate>[0]).catch((error: unknown) =>
        String(error).replaceAll(argument, 'NAME').replaceAll(folder, ''),
      )
    }
    expect(await messageFor(name)).toBe(await messageFor(plain))
  })
})

import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { writeProject } from '../../../src/authoring/init-project.js'
import { writeTaskFromData } from '../../../src/authoring/task-from-data.js'
import { tryTask } from '../../../src/authoring/task-trial.js'
import { makeTaskScorer } from '../../../src/judging/scoring.js'
import { loadTask } from '../../../stages/input/tasks/load-task.js'
import { temporaryFolder } from '../../stages/input/temp-folder.js'

const folder = temporaryFolder()

async function writeFor(
  name: string,
  file: string,
  text: string,
  columns: { target?: string; question?: string } = {},
) {
  await folder.write(file, text)
  const written = await writeTaskFromData(name, { dir: folder.path(), file: folder.path(file), ...columns })
  return { ...written, keys: parse(await readFile(written.file, 'utf8')) as Record<string, unknown> }
}

test('a CSV file becomes a task that can be evaluated, with the target guessed by its name', async () => {
  const { file, guesses, shape } = await writeFor(
    'capitals',
    'rows.csv',
    'id,question,answer\n1,"What is the capital of France?",Paris\n2,"And of Peru?",Lima\n',
  )
  expect(shape.columns.map(({ name, kind }) => [name, kind])).toEqual([
    ['id', 'number'],
    ['question', 'text'],
    ['answer', 'text'],
  ])
  expect(guesses).toEqual(['target: answer (by its name)', 'question: question', 'metric: exact_match', 'not used: id'])
  const options = { cacheDir: folder.path('cache') }
  const task = await loadTask(file, options)
  const trial = await tryTask(task, await makeTaskScorer(task.name, task.scoring, { ...options, exported: [] }), 1)
  expect(trial.problems).toEqual([])
  expect(trial.docs[0]?.prompt).toBe('What is the capital of France?\nAnswer with a word or a short phrase.')
})

test('shows pictures and options of a row, and scores an option letter as one', async () => {
  const { keys } = await writeFor(
    'letters',
    'mc.jsonl',
    '{"question":"Which?","image":"a.png","A":"red","B":"blue","C":"green","answer":"B"}\n',
  )
  expect(keys).toMatchObject({
    doc_to_visual: 'image',
    doc_to_text:
      'Which?\nA. {{A}}'.replace('Which?', '{{question}}') +
      '\nB. {{B}}\nC. {{C}}\nAnswer with the letter of the right option.',
    doc_to_target: 'answer',
    metric_list: [{ metric: 'option_letter', options: 3 }],
  })
})

test.each([
  ['numbers', '[{"question":"p","answer":"1,024"},{"question":"p","answer":-2.5}]', 'number.', 'numeric_match'],
  [
    'codes',
    '[{"question":"p","answer":"007"},{"question":"p","answer":"12"}]',
    'a word or a short phrase.',
    'exact_match',
  ],
  ['yes', '[{"question":"p","answer":"Yes"},{"question":"p","answer":false}]', 'yes or no.', 'yes_no'],
])('the metric and the end of the prompt fit targets that are %s', async (name, text, ask, metric) => {
  const { keys } = await writeFor(name, `${name}.json`, text)
  expect(String(keys['doc_to_text'])).toMatch(new RegExp(`^\\{\\{question\\}\\}\nAnswer .*${ask}$`))
  expect(keys['metric_list']).toEqual([expect.objectContaining({ metric })])
})

test('named columns take precedence, and the only remaining column is the target', async () => {
  const text = '[{"prompt":"p","summary":"one two three four five six seven","answer":"x"}]'
  const named = await writeFor('named', 'rows.json', text, { target: 'summary' })
  expect(named.keys).toMatchObject({ doc_to_target: 'summary', doc_to_text: '{{prompt}}' })
  expect(named.guesses.at(-2)).toContain('metric: contains, since the targets are long')
  const { guesses } = await writeFor('left', 'left.json', '[{"question":"p","colour":"red"}]')
  expect(guesses[0]).toBe('target: colour (the only column that is left)')
})

test('rejects data without a target, with an unknown column or without rows, and writes nothing', async () => {
  await expect(writeFor('a', 'a.json', '[{"question":"p","x":"1","y":"2"}]')).rejects.toThrow(
    'no column looks like the right answer. Name it with --target. Columns: question, x, y',
  )
  await expect(writeFor('b', 'b.json', '[{"question":"p","answer":"1"}]', { target: 'anser' })).rejects.toThrow(
    /--target anser: .* has no such column\. Did you mean "answer"\? Columns: question, answer/,
  )
  await expect(readFile(folder.path('a/a.yaml'))).rejects.toThrow('ENOENT')
})

test('a project has a task and a configuration whose key comes from the named variable', async () => {
  await folder.write('q.csv', 'question,answer\nWhat?,that\n')
  const choices = {
    dir: folder.path('first'),
    name: 'qa',
    model: 'openai',
    modelArgs: { model: 'small' },
    key: { variable: 'MY_KEY', usual: 'OPENAI_API_KEY' },
    data: folder.path('q.csv'),
  }
  const { config, files } = await writeProject(choices)
  expect(files.map(path => path.slice(folder.path('first').length + 1))).toEqual(['qa/qa.yaml', 'eval.yaml'])
  expect(parse(await readFile(config, 'utf8'))).toEqual({
    model: 'openai',
    model_args: { model: 'small' },
    tasks: './qa',
    env: { OPENAI_API_KEY: '${MY_KEY}' },
  })
  await expect(writeProject(choices)).rejects.toThrow('eval.yaml is there already')
})

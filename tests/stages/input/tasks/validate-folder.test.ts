import { expect, test } from 'vitest'
import { validateTaskFolder } from '../../../../stages/input/tasks/validate-folder.js'
import { temporaryFolder } from '../temp-folder.js'

const folder = temporaryFolder()

const task = (name: string, more = '') =>
  `task: ${name}\ndataset_path: ./d.jsonl\ndoc_to_text: "{{q}}"\ndoc_to_target: a\n${more}`

async function validate(files: Readonly<Record<string, string>>, includePaths: readonly string[] = []) {
  const place = `set-${Object.keys(files).join('-')}`
  for (const [name, text] of Object.entries(files)) await folder.write(`${place}/${name}`, text)
  const options = { cacheDir: folder.path('cache'), includePaths }
  const { problems, ...rest } = await validateTaskFolder(folder.path(place), options)
  const shown = problems.map(problem => problem.replaceAll(/\S*\/(?=[\w.]+\.yaml)/g, ''))
  return { ...rest, problems: shown, tasks: rest.tasks.map(({ name }) => name) }
}

test('reports the position of a name in two files, and reads the other tasks', async () => {
  const found = await validate({ 'a.yaml': task('x'), 'b.yaml': `\n${task('x')}`, 'c.yaml': task('y', 'repeat: 2\n') })
  expect(found.problems).toEqual([
    'b.yaml:2:7  task "x" is in two files: a.yaml and b.yaml. Rename one.',
    'c.yaml:5:1  repeat: no such key. Did you mean "repeats"?',
  ])
})

test('reports a mistake of an included file once, and counts files', async () => {
  const base = 'dataset_path: ./d.jsonl\ndoc_to_text: q\ndoc_to_target: a\noutput_type: nothing\n'
  const found = await validate({
    'base.yaml': base,
    'e.yaml': 'task: e\ninclude: base.yaml\n',
    'f.yaml': 'task: f\ninclude: base.yaml\n',
  })
  expect(found.problems).toEqual([expect.stringMatching(/^base\.yaml:4:14 {2}output_type: expected one of /)])
  expect(found.files).toBe(3)
})

test('reports a file that was meant as a task or group but has no name', async () => {
  const found = await validate({
    'good.yaml': task('good'),
    'h.yaml': task('h').replace('task:', 'tsk:'),
    'i.yaml': 'group: i\ntask:\n- good\n',
    'j.yaml': 'group: j\naggregate_metric_list: [{metric: acc}]\n',
    'k.yaml': 'group: k\ntask:\ntask: good\n  - task: good\n',
    'l.yaml': 'dataset_path: x\ndoc_to_text: a template for others\n',
    'm.yaml': 'services: {web: {}}\nservices: {}\n',
  })
  expect(found.problems).toEqual([
    'h.yaml:1:1  tsk: no such key. Did you mean "task"?',
    'j.yaml:1:8  task: missing: the tasks of the group, a list',
    expect.stringMatching(/^k\.yaml:3:7 {2}/),
    'k.yaml:3:1  task: this key is given twice',
  ])
  expect(found.tasks).toEqual(['good'])
})

test('a group that cannot be read reports nothing as missing', async () => {
  const found = await validate({ 'n.yaml': 'group: n\ngroup_alias: N: x\ntask:\n- n\n' })
  expect(found.problems).toEqual([expect.stringMatching(/^n\.yaml:2:14 {2}a value with ": " in it needs quotes/)])
  expect(found.files).toBe(1)
})

test('after a problem, validates the rest: duplicate names, and groups with two variants of a task', async () => {
  const found = await validate({
    'a.yaml': task('x', 'repeat: 1\n'),
    'b.yaml': task('x', 'repeat: 2\n'),
    'c.yaml': task('y'),
    'g.yaml': 'group: g\ntask: [{task: y, repeats: 2}]\n',
    'h.yaml': 'group: h\ntask: [y, nobody]\n',
  })
  expect(found.problems).toEqual([
    expect.stringMatching(/^h\.yaml:2:11 {2}task: no task "nobody"\./),
    'b.yaml:1:7  task "x" is in two files: a.yaml and b.yaml. Rename one.',
    'a.yaml:5:1  repeat: no such key. Did you mean "repeats"?',
    'b.yaml:5:1  repeat: no such key. Did you mean "repeats"?',
  ])
  expect(found.tasks).toEqual(['y', 'y'])
})

test('finds members of groups in the folders of --include-path, too', async () => {
  await folder.write('elsewhere/y.yaml', task('y'))
  const group = { 'g.yaml': 'group: g\ntask: [y]\n' }
  expect((await validate(group)).problems).toHaveLength(1)
  expect(await validate(group, [folder.path('elsewhere')])).toMatchObject({ problems: [], tasks: ['y'], files: 2 })
})

test('notes an unknown generation argument with line and column, without an error', async () => {
  const kwargs = 'generation_kwargs:\n  max_gen_toks: 5\n  max_tocens_of_mine: 5\n'
  const { problems, notes } = await validate({ 'a.yaml': task('a', kwargs) })
  expect(problems).toEqual([])
  expect(notes).toEqual([
    expect.stringMatching(
      /a\.yaml:7:23 {2}generation_kwargs\.max_tocens_of_mine: this argument is not known here, and is sent to the model as it is\./,
    ),
  ])
})

test('accepts files of lm-evaluation-harness with duplicate keys, extra keys and a metric without a list', async () => {
  const kwargs =
    'gen_prefix: "So:"\nunsafe_code: true\ndoc_to_image: [picture]\nfewshot_config: {sampler: first_n, gen_prefix: null, doc_to_choice: [a, b]}\n'
  const filter = 'filter_list:\n- name: x\n  filter:\n  - function: regex\n    regex_pattern: a\n    regex_pattern: b\n'
  const { problems, notes, tasks } = await validate({
    'a.yaml': task('a', `${kwargs}${filter}`),
    'g.yaml': 'group: g\ntask: [a]\naggregate_metric_list: {metric: acc}\n',
    'h.yaml': 'group: h\ntask: [a]\naggregate_metric_list: [{metric: acc}]\naggregate_metric_list: [{metric: f1}]\n',
  })
  expect(problems).toEqual([])
  expect(notes).toEqual([
    expect.stringMatching(/a\.yaml:14:5 {2}regex_pattern: this key is given twice, and the last counts$/),
    expect.stringMatching(/h\.yaml:4:1 {2}aggregate_metric_list: this key is given twice, and the last counts$/),
  ])
  expect(tasks).toEqual(['a'])
})

import { join } from 'node:path'
import { readFile, readdir } from 'node:fs/promises'
import { writeFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { ownTask, picture } from '../support/own-task.js'

test('reports all mistakes of a command line at once with the nearest names, before any request', async () => {
  const task = await ownTask()
  const lines: readonly (readonly [string[], RegExp[]])[] = [
    [
      ['eval', '--model', 'opnai', '--tasks', 'shapes_vq'],
      [/no model "opnai"\. Did you mean "openai"\?/, /no task "shapes_vq"\. Did you mean "shapes_vqa"\?/],
    ],
    [
      [
        '--model',
        'qwen2_5_vl',
        '--model_args',
        'pretrained=Qwen/Qwen2.5-VL-7B-Instruct',
        '--tasks',
        './mytask',
        '--limit',
        '2',
      ],
      [
        /no model "qwen2_5_vl"\. .* Use this line:\n {2}pipeline eval --model vllm --model-args model=Qwen\/Qwen2\.5-VL-7B-Instruct --tasks \.\/mytask --limit 2\n/,
      ],
    ],
    [[...task.line, '--limt', '3'], [/unknown option "--limt"\. Did you mean --limit\?/]],
    [['evla'], [/no command "evla"\. Did you mean "eval"\?/]],
    [[...task.line, '--epochs', '3'], [/unknown option "--epochs"\. Did you mean --repeats\?/]],
    [['view'], [/no command "view"\. Did you mean "ui"\?/]],
    [['compare', 'last'], [/pipeline compare: <run-b> is missing: the run that is .* \(pipeline compare --help\)/]],
    [['labels', 'add', 'last'], [/pipeline labels add: <doc> is missing: TASK\/DOC/]],
    [['export', 'last'], [/pipeline export: -o, --output <file> is missing: the file to write/]],
    [['power', 'last'], [/pipeline power takes no argument, and was given "last"\. Did you mean --run last\?/]],
    [['init', 'rows.csv'], [/pipeline init takes no argument, .* Did you mean --data rows\.csv\?/]],
    [
      ['repro', 'last', 'more'],
      [/pipeline repro takes one argument, and was given "more" {3}\(pipeline repro --help\)/],
    ],
    [['eval', 'nightly.yaml'], [/nightly\.yaml: there is no such file/]],
    [[...task.line, '--limit', 'many'], [/--limit: expected a whole number/]],
    [[...task.line, '--offset', '99'], [/--offset 99: task mytask has 6 docs/]],
    [
      [...task.line, '--gen-kwargs', 'until=3,max_new_tokns=2'],
      [/--gen-kwargs until: expected a text/, /max_new_tokns: no such argument\. Did you mean "max_new_tokens"\?/],
    ],
    [
      ['eval', '--model', 'openai', '--model-args', 'modle=x', '--tasks', './mytask'],
      [/no argument "modle"\. Did you mean "model"\?/],
    ],
    [['report', 'last'], [/no run "last"/]],
    [['import', 'nowhere'], [/nowhere is not there/]],
  ]
  for (const [line, messages] of lines) {
    const ended = await task.run(...line)
    expect({ line, code: ended.code, stdout: ended.stdout }).toEqual({ line, code: 1, stdout: '' })
    for (const message of messages) expect(ended.stderr).toMatch(message)
    expect(ended.stderr).not.toMatch(/internal error|\n +at /)
  }
  expect(await task.requests()).toBe(0)
})

test('reports mistakes in a task or configuration file with file:line:column', async () => {
  const task = await ownTask()
  await task.write(
    'mytask.yaml',
    `task: mytask
dataset_path: ./questions.jsonl
doc_to_text: "{{qestion}}"
doc_to_target: answr
generation_kwargs: {}
metric_list: [{metric: exact_mach}, {metric: exact_match, ignore_cas: true}]
`,
  )
  const validated = await task.run('tasks', 'validate', './mytask')
  expect(validated).toMatchObject({ code: 1 })
  expect(validated.stdout).toMatch(/mytask\.yaml:6:24 .*no metric "exact_mach"\. Did you mean "exact_match"\?/)
  expect(validated.stdout).toMatch(
    /ignore_cas: exact_match has no argument "ignore_cas"\. Did you mean "ignore_case"\?/,
  )
  expect(validated.stdout).toMatch(/mytask\.yaml:4:16 .*column "answr" is not there .*Did you mean "answer"\?/)
  const evaluated = await task.run(...task.line)
  expect(evaluated).toMatchObject({ code: 1 })
  await task.write('bad.yaml', 'task: bad\ndoc_to_txt: x\ndataset_path: ./x.jsonl\ngeneration_kwargs: {until: 3}\n')
  const keys = await task.run(...task.line.slice(0, -1), './mytask/bad.yaml')
  expect(keys.stderr).toMatch(/bad\.yaml:2:1 {2}doc_to_txt: no such key\. Did you mean "doc_to_text"\?/)
  await writeFile(join(task.folder, 'c.yaml'), 'model: openai\nmodel_arg: {model: m}\nlimit: many\n')
  const config = await task.run('eval', '--config', 'c.yaml')
  expect(config.stderr).toMatch(/c\.yaml:2:1 {2}model_arg: no such key\. Did you mean "model_args"\?/)
  expect(config.stderr).toMatch(/c\.yaml:3:8 {2}limit: expected/)
  expect(await task.requests()).toBe(0)
})

test('a mistake in one doc fails that doc: exit 2, coverage and bounds, and --retry-failed after a fix', async () => {
  const task = await ownTask()
  const whole = await picture(80)
  await task.write('img/2.png', whole.subarray(0, whole.length - 20))
  await task.edit('questions.jsonl', '"image":"img/3.png"', '"image":null')
  const ended = await task.run(...task.line)
  expect(ended).toMatchObject({ code: 2 })
  expect(ended.stdout).toMatch(/exact_match +0\.500 .* 4 +66\.6 %/)
  expect(ended.stdout).toContain('the full exact_match lies between 0.333 and 0.667; 2 of 6 docs are missing')
  expect(ended.stderr).toMatch(/media +img\/2\.png: the PNG image is cut short +mytask\/q2/)
  expect(ended.stderr).toMatch(/media +the doc has no medium/)
  expect(ended.stderr).toMatch(/resume: {2}pipeline resume \S+ --retry-failed/)
  expect(await task.requests()).toBe(4)
  expect((await task.run('report', 'last', '--samples', 'failed')).stdout).toContain('mytask/q2   failed')
  await task.write('img/2.png', whole)
  const again = await task.run('resume', 'last', '--retry-failed', '--model-args', 'api_key=sk-very-secret')
  expect(again).toMatchObject({ code: 2 })
  expect(again.stderr).toContain('1 of 6 docs failed')
  expect(await task.requests()).toBe(5)
  expect(await task.run('cache', 'verify')).toMatchObject({ code: 0 })
})

test('a refused request is retried only with --retry-failed, and a temporary failure by the same command', async () => {
  const task = await ownTask(['--text', 'blue', '--fail', '400:0.4:1,reset:1:1'])
  const first = await task.run(...task.line)
  expect(first).toMatchObject({ code: 2 })
  expect(first.stderr).toMatch(/run incomplete: \d of 6 docs failed\n +\d +invalid_request/)
  const asked = await task.requests()
  expect(await task.run(...task.line)).toMatchObject({ code: 2 })
  expect(await task.requests()).toBe(asked)
  expect(await task.run(...task.line, '--retry-failed')).toMatchObject({ code: 0 })
})

test('the API key is in no file of the store and in no output', async () => {
  const task = await ownTask()
  const { stdout, stderr } = await task.run(...task.line)
  expect(stdout + stderr).not.toContain('sk-very-secret')
  for (const name of await readdir(join(task.folder, '.pipeline'), { recursive: true, withFileTypes: true }))
    if (name.isFile()) expect((await readFile(join(name.parentPath, name.name))).includes('sk-very-secret')).toBe(false)
})

test("an unhandled rejection of a task's code is reported with file and line, without a stack", async () => {
  const task = await ownTask()
  await task.write(
    'utils.ts',
    `export function ask(doc: { question: string }): string {
  void Promise.reject(new Error('left behind'))
  return doc.question
}
`,
  )
  await task.edit('mytask.yaml', '"{{question}}\\nAnswer with one word."', '!function utils.ask')
  const ended = await task.run('tasks', 'validate', './mytask', '--docs', '1')
  expect(ended).toMatchObject({ code: 1 })
  expect(ended.stderr).toMatch(/^error: the task's code failed at utils\.ts:2:\d+: left behind \(.*\)\s*$/)
})

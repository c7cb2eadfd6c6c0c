import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { evaluate, importTasks, mockModel } from '../../../src/index.js'
import { splitValues } from '../../../src/authoring/foreign-tasks/promptfoo-values.js'
import { temporaryFolder } from '../../support/store.js'

const config = `prompts:
  - "Name the colour of {{thing}}."
  - id: file://second.txt
  - prompt.js
providers: [openai:gpt-4.1-mini]
defaultTest:
  assert:
    - type: not-contains
      value: sorry
tests:
  - vars: {thing: grass}
    assert:
      - type: icontains
        value: GREEN
      - type: javascript
        value: output.length > 2
      - {type: latency, threshold: 60000}
  - description: the sky
    vars: {thing: sky}
    assert:
      - {type: contains-any, value: [blue, azure], weight: 3}
      - {type: equals, value: yes}
  - vars: {thing: [a, b]}
    assert: [{type: regex, value: x}]
  - vars: {thing: "snow"}
    assert: [{type: starts-with, value: "{{thing}}"}, {type: is-json, value: {type: object}}]
`

async function scene(name: string, text: string) {
  const folder = await temporaryFolder()
  await writeFile(join(folder, name), text)
  await writeFile(join(folder, 'second.txt'), '{{thing}}?')
  const run = (more = {}) => importTasks(join(folder, name), { dir: folder, ...more })
  const evaluateFixed = async (text: string, tasks: readonly string[]) =>
    evaluate({ store: join(folder, 'store'), model: 'dummy', modelArgs: { mode: 'fixed', text }, tasks })
  return { folder, run, evaluateFixed }
}

test('writes a task for each prompt of promptfoo, and names omitted parts with their lines', async () => {
  const { folder, run, evaluateFixed } = await scene('promptfooconfig.yaml', config)
  const written = await run({ name: 'colours' })
  expect(written).toMatchObject({ tasks: ['colours_1', 'colours_2'], docs: 3 })
  expect(written.left.map(text => text.replace(/^.*promptfooconfig\.yaml:/, ''))).toEqual([
    '4  prompts: only texts and files of text are translated',
    '15  javascript: this type is not translated',
    '23  test 3: the variable thing is a list, names a file, or has a name that is taken',
    '26  is-json: a schema is not translated',
  ])
  const file = join(folder, 'colours', 'colours_1.yaml')
  const result = await evaluateFixed('Green or blue', [file])
  const { pass, score } = result.of(file).metrics
  // Grass: both hold. The sky: 4 of 5 parts hold, and it does not equal "yes". Snow: 1 of 2.
  expect(pass?.value).toBeCloseTo(1 / 3)
  expect(score?.value).toBeCloseTo((1 + 4 / 5 + 1 / 2) / 3)
  const reasons: unknown[] = []
  for await (const { extracted } of result.samples({ only: 'wrong' })) reasons.push(extracted['pass'])
  expect(reasons[0]).toEqual({ reason: 'does not hold: equals "yes"' })
  await expect(run({ name: 'colours' })).rejects.toThrow(/is there already/)
})

test('translates latency, cost and rubrics, which a judge model grades', async () => {
  const tests = (asserts: string) => `prompts: ['{{q}}']\ntests:\n  - vars: {q: red}\n    assert: ${asserts}\n`
  const { folder, run } = await scene(
    'promptfooconfig.yaml',
    tests(
      "[{type: latency, threshold: 60000}, {type: cost, threshold: 0.01}, {type: llm-rubric, value: 'is {{q}}'}, {type: latency}]",
    ),
  )
  expect((await run({ name: 'checks' })).left).toMatchObject([
    expect.stringMatching(/yaml:4 {2}latency: expected a number as its threshold$/),
  ])
  const file = join(folder, 'checks', 'checks.yaml')
  const prices = join(folder, 'prices.yaml')
  await writeFile(prices, 'mock: {mock: {input: 1, output: 1}}\n')
  const usage = { inputTokens: 10, outputTokens: 5 }
  const model = mockModel({ reply: () => ({ text: 'It is red.', usage }) })
  const judgeModel = mockModel({ reply: ({ text }) => (text.includes('Condition:\nis red\n') ? 'Yes.' : 'No.') })
  const given = { store: join(folder, 'store'), model, tasks: [file], prices }
  const graded = await evaluate({ ...given, judge: judgeModel })
  expect(graded.of(file).metrics).toMatchObject({ pass: { value: 1 }, score: { value: 1 } })
  expect(judgeModel.calls).toHaveLength(1)
})

test('keeps words such as yes as texts', async () => {
  const { folder, run } = await scene('promptfooconfig.yaml', config)
  await run({ name: 'colours' })
  expect(await readFile(join(folder, 'colours', 'docs.jsonl'), 'utf8')).toContain('{"type":"equals","value":"yes"')
})

test("writes a task for samples of OpenAI's evals", async () => {
  const samples = [
    {
      input: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: '2+2?' },
      ],
      ideal: '4',
    },
    { input: 'Red or blue?', ideal: ['red', 'blue'] },
    { input: [{ role: 'tool', content: 'x' }], ideal: 'y' },
    { input: 'no ideal' },
  ]
  const { folder, run, evaluateFixed } = await scene('match.jsonl', samples.map(row => JSON.stringify(row)).join('\n'))
  const written = await run()
  expect(written).toMatchObject({ tasks: ['match'], docs: 2 })
  expect(written.left.map(text => text.replace(/^.*match\.jsonl:/, ''))).toEqual([
    '3  input: the role "tool" of a message is unknown',
    '4  ideal: expected a text, or a list of texts',
  ])
  const file = join(folder, 'match', 'match.yaml')
  const result = await evaluateFixed('4', [file])
  expect(result.of(file).metrics['exact_match']).toMatchObject({ value: 0.5, n: 2 })
})

test('reads tests from other files, and names the lines there', async () => {
  const { folder, run } = await scene(
    'promptfooconfig.yaml',
    "prompts: ['{{q}}']\ntests:\n  - {vars: {q: here}, assert: [{type: equals, value: a}]}\n  - file://more.json\n  - lines.jsonl\n  - file://code.ts\n",
  )
  const test = (q: string, type: string) => ({ vars: { q }, assert: [{ type, value: 'b' }] })
  await writeFile(join(folder, 'more.json'), JSON.stringify([test('there', 'contains')]))
  const lines = [test('last', 'equals'), test('never', 'javascript')].map(each => `${JSON.stringify(each)}\n`)
  await writeFile(join(folder, 'lines.jsonl'), lines.join('\n'))
  await writeFile(join(folder, 'code.ts'), '')
  const written = await run({ name: 'spread' })
  expect(written.docs).toBe(3)
  expect(written.left.map(text => text.replace(/^.*\//, ''))).toEqual([
    'promptfooconfig.yaml:6  tests: only YAML, JSON, JSONL and CSV files are translated',
    'lines.jsonl:3  javascript: this type is not translated',
    'lines.jsonl:3  test 4: it has no condition that can be translated',
  ])
})

test('rejects files of which nothing can be translated', async () => {
  const { run } = await scene('empty.yaml', 'prompts: [a]\ntests: file://tests.csv\n')
  await expect(run()).rejects.toThrow(
    /has no test that can be translated[\s\S]*empty\.yaml:2 {2}tests: no file .*tests\.csv/,
  )
  const broken = await scene('broken.yaml', 'prompts: [a\ntests: {')
  await expect(broken.run()).rejects.toThrow(/broken\.yaml:\d/)
})

/** Imports a configuration with files beside it, and scores a fixed answer. */
async function importWith(text: string, files: Readonly<Record<string, string>> = {}) {
  const { folder, run, evaluateFixed } = await scene('promptfooconfig.yaml', text)
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content)
  const written = await run({ name: 't' })
  const read = (name: string) => readFile(join(folder, 't', name), 'utf8')
  return {
    written,
    left: written.left.map(line => line.replace(/^.*\//, '')),
    rows: (await read('docs.jsonl'))
      .trim()
      .split('\n')
      .map(line => JSON.parse(line) as Record<string, unknown>),
    read,
    score: async (answer: string) => {
      const file = join(folder, 't', `${written.tasks[0] ?? ''}.yaml`)
      const result = await evaluateFixed(answer, [file])
      const docs: Record<string, unknown> = {}
      for await (const { doc, values } of result.samples())
        docs[typeof doc['description'] === 'string' ? doc['description'] : ''] = values
      return docs
    },
  }
}

test('a file of prompts has several, with a line of --- between', async () => {
  const config = 'prompts: [file://p.txt, file://q.md]\ntests: [{vars: {b: x}, assert: [{type: equals, value: a}]}]\n'
  const { written, read } = await importWith(config, {
    'p.txt': 'One {{b}}\n---\r\n\nTwo\n--- not a mark\n{{b}}\n  ---  \n---\n',
    'q.md': '# Title\n---\n{{b}}',
  })
  expect(written.tasks).toEqual(['t_1', 't_2', 't_3'])
  expect(await read('t_1.yaml')).toContain('doc_to_text: One {{b}}\n')
  expect(await read('t_2.yaml')).toContain('Two\n  --- not a mark\n')
  expect(await read('t_3.yaml')).toContain('# Title\n  ---\n')
})

test('weights and thresholds pass the tests that they pass in promptfoo', async () => {
  const { score, left } = await importWith(
    [
      "prompts: ['{{q}}']",
      'defaultTest: {threshold: 0.5}',
      'tests:',
      '  - {description: own, vars: {q: a}, threshold: 1, assert: [{type: contains, value: yes}, {type: contains, value: no}]}',
      '  - {description: shared, vars: {q: a}, assert: [{type: contains, value: yes}, {type: contains, value: no}]}',
      '  - {description: zero, vars: {q: a}, threshold: 0, assert: [{type: contains, value: no, weight: 0}]}',
      '  - {description: beside, vars: {q: a}, assert: [{type: contains, value: yes}, {type: contains, value: no, weight: 0}]}',
      '  - {description: only, vars: {q: a}, assert: [{type: contains, value: yes}, {type: contains, value: no, metricOnly: true}]}',
    ].join('\n'),
  )
  expect(left).toEqual([])
  expect(await score('yes')).toEqual({
    own: { pass: 0, score: 0.5 },
    shared: { pass: 1, score: 0.5 },
    zero: { pass: 1, score: 1 },
    beside: { pass: 1, score: 1 },
    only: { pass: 1, score: 1 },
  })
})

test('without a threshold, a condition of weight 0 cannot fail', async () => {
  const config =
    "prompts: ['{{q}}']\ntests: [{description: d, vars: {q: a}, assert: [{type: contains, value: no, weight: 0}]}]\n"
  expect(await (await importWith(config)).score('yes')).toEqual({ d: { pass: 1, score: 1 } })
})

test.each([
  ['transform: output.trim()', 'test', 'options.transform'],
  ['prefix: "Hello "', 'test', 'options.prefix'],
  ['suffix: "!"', 'defaultTest', 'options.suffix'],
])('a test whose %s changes what is checked is left out with its line', async (option, place, name) => {
  const own = place === 'test' ? `, options: {${option}}` : ''
  const config = `prompts: ['{{q}}']\n${place === 'test' ? '' : `defaultTest: {options: {${option}}}\n`}tests:\n  - {vars: {q: a}, assert: [{type: equals, value: a}]${own}}\n  - {vars: {q: b}, assert: [{type: equals, value: b}]}\n`
  if (place === 'defaultTest') {
    await expect(importWith(config)).rejects.toThrow(new RegExp(`yaml:2 {2}defaultTest: ${name} is not translated`))
    return
  }
  const { left, rows } = await importWith(config)
  expect(left).toEqual([`promptfooconfig.yaml:3  test 1: ${name} is not translated`])
  expect(rows).toHaveLength(1)
})

test('variables are printed as in JavaScript, and refused where a template would treat them otherwise', async () => {
  const config = [
    "prompts: ['{{flag}} {{none}} {{n}} {{user.name}}{% if logic %}x{% endif %}']",
    'tests:',
    '  - {vars: {flag: true, none: null, n: 1.0, user: {name: Ann}}, assert: [{type: contains, value: "{{flag}}"}]}',
    '  - {vars: {logic: false}, assert: [{type: contains, value: a}]}',
    '  - {vars: {flag: {a: 1}}, assert: [{type: contains, value: a}]}',
  ].join('\n')
  const { rows, left } = await importWith(config)
  expect(rows).toMatchObject([{ flag: 'true', none: '', n: '1', user: { name: 'Ann' }, checks: [{ value: 'true' }] }])
  expect(left).toEqual([
    'promptfooconfig.yaml:4  test 2: the variable logic is no text, and a prompt uses it as more than one',
    'promptfooconfig.yaml:5  test 3: the variable flag is no text, and a prompt uses it as more than one',
  ])
})

test.each([
  ['a, b', ['a', 'b']],
  ['"a, b", c', ['a, b', 'c']],
  ['"say ""hi""",x', ['say "hi"', 'x']],
  ['a', ['a']],
  ['5" pipe, b', ['5" pipe', 'b']],
  ['a,,b', ['a', '', 'b']],
])('a list in a text is split at commas outside quotes: %s', (text, parts) => {
  expect(splitValues(text)).toEqual(parts)
})

test('tests in CSV become docs with their conditions, and lines that are not translated are named', async () => {
  const csv = [
    'q,__expected,__expected2,__description,__threshold,__prefix',
    'one,Paris,,plain,,',
    '"two, ""quoted""\nlines",contains: Paris,not-icontains:LONDON,two,0.5,',
    'three,"contains-any: Rome, Paris",,any,,',
    'four,javascript: output.length > 3,,code,,',
    'five,is-json,latency(500),json,,',
    'six,contains:x,,before,,Hello ',
    ',,,,,',
    'seven,note: this is the answer,,words,,',
  ].join('\r\n')
  const { rows, left, score } = await importWith("prompts: ['{{q}}']\ntests: file://cases.csv\n", { 'cases.csv': csv })
  expect(rows.map(({ description, q, checks, threshold }) => ({ description, q, checks, threshold }))).toMatchObject([
    { description: 'plain', q: 'one', checks: [{ type: 'equals', value: 'Paris' }] },
    {
      description: 'two',
      q: 'two, "quoted"\nlines',
      threshold: 0.5,
      checks: [
        { type: 'contains', value: ' Paris' },
        { type: 'not-icontains', value: 'LONDON' },
      ],
    },
    { description: 'any', checks: [{ type: 'contains-any', value: ['Rome', 'Paris'] }] },
    { description: 'json', checks: [{ type: 'is-json' }, { type: 'latency', value: 500 }] },
    { description: 'words', checks: [{ type: 'equals', value: 'note: this is the answer' }] },
  ])
  expect(left).toEqual([
    'cases.csv:6  javascript: this type is not translated',
    'cases.csv:6  code: it has no condition that can be translated',
    'cases.csv:8  before: options.prefix is not translated',
  ])
  expect(await score('In Paris')).toMatchObject({ plain: { pass: 0 }, two: { pass: 1 }, any: { pass: 1 } })
})

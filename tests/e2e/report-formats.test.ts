import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { junitReport } from '../../src/present/files/junit.js'
import { csvRecords } from '../../stages/input/datasets/csv/csv-records.js'
import { root } from '../support/cli.js'
import { ownTask } from '../support/own-task.js'
import { aggregate } from '../support/report-data.js'
import { hostileTexts, reportedRun, scoredSample, textOf } from '../support/reported-runs.js'

type XmlElement = readonly [
  tag: string,
  attributes: Readonly<Record<string, string>>,
  text: string | null,
  children: readonly XmlElement[],
]

/** Parses XML with Python, which rejects anything not well-formed. */
const parsed = (xml: string): XmlElement =>
  JSON.parse(
    execFileSync('python3', [join(root, 'tests/support/parse-xml.py')], { input: xml }).toString(),
  ) as XmlElement

async function* pieces(text: string): AsyncGenerator<string> {
  yield await Promise.resolve(text)
}

test('reports a run in formats of other programs', async () => {
  const task = await ownTask()
  expect((await task.run(...task.line)).code).toBe(0)
  await task.edit('mytask.yaml', 'one word', 'a word')
  expect((await task.run(...task.line)).code).toBe(0)

  const csv = await task.run('report', 'last~1', 'last', '--csv')
  const records: (readonly string[])[] = []
  for await (const batch of csvRecords(pieces(csv.stdout), { separator: ',' })) records.push(...batch)
  const [header = [], ...rows] = records
  expect(rows.map(row => row[header.indexOf('value')])).toEqual([String(4 / 6), String(4 / 6)])
  expect(csv.stdout.match(/\r\n/g)).toHaveLength(3)

  const [tag, { tests, failures, errors, skipped }, , suites] = parsed(
    (await task.run('report', 'last', '--junit')).stdout,
  )
  expect({ tag, tests, failures, errors, skipped }).toEqual({
    tag: 'testsuites',
    tests: '6',
    failures: '2',
    errors: '0',
    skipped: '0',
  })
  const failed = suites.flatMap(([, , , cases]) =>
    cases.flatMap(([, { name }, , parts]) => (parts.some(([part]) => part === 'failure') ? [name] : [])),
  )
  expect(failed).toEqual(['q4', 'q5'])

  expect((await task.run('report', 'last', '--md')).stdout).toContain('| mytask | exact_match | 0.667 |')
  const latex = (await task.run('report', 'last~1', 'last', '--latex')).stdout
  expect(latex).toContain('\\bottomrule')
  expect(latex).not.toContain('\\mathbf')

  expect((await task.run('report', 'last~1', 'last', '--samples', 'all')).stderr).toContain(
    'pipeline compare RUN-A RUN-B',
  )
  const table = await task.run('report', 'last~1', 'last')
  expect(table).toMatchObject({ code: 0, stderr: '' })
  expect(table.stdout).toMatch(/task +metric( +[\w-]+@1){2}\n/)
  expect((await task.run('report', 'last', '--csv', '--samples', 'wrong')).stderr).toContain('cannot be used with')
})

test('an XML parser reads every name unchanged, except characters that XML forbids', async () => {
  const samples = hostileTexts.map((text, index) =>
    scoredSample(index, 0, { id: text, text, record: { target: text, doc: {} } }),
  )
  const tasks = ['<a> & "b"\n]]>']
  const [, , , suites] = parsed(
    await textOf(junitReport(reportedRun('hostile', { aggregates: [aggregate()], samples, tasks }))),
  )
  const allowed = hostileTexts.map(text => text.replace(/[\0-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff\p{Cs}]/gu, ''))
  expect(suites.map(([, { name }]) => name)).toEqual(tasks)
  const cases = suites.flatMap(([, , , children]) => children)
  expect(cases.map(([, { name }]) => name)).toEqual(allowed)
  const outputs = cases.map(([, , , parts]) => parts.find(([tag]) => tag === 'system-out')?.[2])
  const indented = allowed.map(text => text.replaceAll('\n', '\n  '))
  expect(outputs).toEqual(indented.map(text => `target: ${text}\nextracted: ${text}\nanswer: ${text}`))
})
